import assert from 'node:assert/strict';
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { startWorld } from '@mailproof/world';
import { Webhook } from 'standardwebhooks';
import { listChanges } from '../../../src/features/operator/audit-log/list-changes.ts';
import { statement } from '../../../src/core/store/statement.ts';
import { createTask } from '../../../src/core/verify/tasks/create-task.ts';
import { createWebhookActions } from '../../../src/features/webhooks/webhook-actions.ts';
import { databases, type TestStore } from '../../support/databases.ts';
import { openAccount } from '../../support/open-account.ts';
import { startReceiver, type Manner } from '../../support/webhooks/start-receiver.ts';
import type { SendingSettings } from './sending-process.ts';

/** 1,920 tasks told to five endpoints, and 100 told to four that never take anything: 10,000 events on their way. */
const tasksTold = 1_920;
const tasksInVain = 100;
const kills = 50;
const receiverAddress = '127.0.0.5';
const manners: Record<string, Manner> = {
  '/takes': 'takes',
  '/fails': 'fails',
  '/hangs': 'hangs',
  '/closes': 'closes',
  '/redirects': 'redirects',
  '/gone': 'gone',
};

for (const database of databases) {
  test(`10,000 events and ${kills} kills of those who send them on ${database.name}: each delivered or given up as written, none lost`, async (t) => {
    const testStore = await database.open();
    const { store } = testStore;
    const clock = createMovableTime();
    const world = await startWorld({
      zones: {
        'hooks.test': { a: [receiverAddress] },
        'rebinds.test': { aInTurn: [[receiverAddress], ['127.0.0.1']], ttl: 0 },
      },
      hosts: {},
    });
    const taken = new Map<string, Set<string>>();
    const secrets = new Map<string, string>();
    let forged = 0;
    const met = new Set<string>();
    const receiver = await startReceiver({
      address: receiverAddress,
      onMessage: ({ path, headers, body }) => {
        const { 'webhook-id': id = '', 'webhook-timestamp': at = '', 'webhook-signature': given } = headers;
        // The reference implementation knows the real time only, so it cannot verify here; it signs anew.
        const expected = new Webhook(secrets.get(path) ?? '').sign(id, new Date(Number(at) * 1_000), body);
        if (given !== expected) forged += 1;
        const [kind = '', isLate] = path.split('?');
        const isFirst = !met.has(`${path} ${id}`);
        met.add(`${path} ${id}`);
        const takes = manners[kind] === 'takes' || (isLate !== undefined && !isFirst);
        if (takes) taken.set(path, (taken.get(path) ?? new Set()).add(id));
      },
    });
    // With `late` an endpoint misbehaves at the first attempt of each message and takes it at the second.
    const before = new Map<string, number>();
    receiver.behave((path) => {
      const [kind = '', isLate] = path.split('?');
      const key = `${path} ${receiver.messages.at(-1)?.headers['webhook-id'] ?? ''}`;
      before.set(key, (before.get(key) ?? 0) + 1);
      return isLate !== undefined && (before.get(key) ?? 0) > 1 ? 'takes' : (manners[kind] ?? 'fails');
    });
    const forbidden = await startReceiver({ address: '127.0.0.1', port: receiver.port });
    const senders: ChildProcess[] = [];
    t.after(async () => {
      await Promise.all(senders.map(killSender));
      await Promise.all([receiver.stop(), forbidden.stop(), world.stop()]);
      await testStore.close();
    });

    const actions = createWebhookActions({
      store,
      wallClock: clock,
      httpAllowed: true,
      wake: () => undefined,
    });
    const open = async (paths: string[]) => {
      const account = await openAccount({ store, wallClock: clock }, 10_000);
      const ids = new Map<string, string>();
      for (const path of paths) {
        const [host, where] = path.startsWith('/rebinds')
          ? ['rebinds.test', '/takes?rebinds']
          : ['hooks.test', path];
        const made = await actions.create(
          { accountId: account.accountId, actor: 'command_line' },
          {
            url: `http://${host}:${receiver.port}${where}`,
            events: ['task.completed'],
            creditsLowAt: undefined,
            enabled: true,
          },
        );
        assert.ok(made.kind === 'created');
        secrets.set(where, made.secret);
        ids.set(where, made.webhook.webhookId);
      }
      return { ...account, ids };
    };
    const served = await open(['/takes', '/fails?late', '/hangs?late', '/closes?late', '/gone', '/rebinds']);
    const inVain = await open(['/fails', '/hangs', '/closes', '/redirects']);
    const complete = async ({ live: caller }: Pick<typeof served, 'live'>) => {
      const request = { caller, emails: ['no address'], name: undefined, idempotency: undefined };
      const times = { taskDeadlineMs: 1_000_000, taskRetentionMs: 15 * 86_400_000 };
      const parts = { ...times, store, wallClock: clock, wake: () => undefined };
      const { kind } = await createTask({ ...request, requestId: crypto.randomUUID() }, parts);
      assert.equal(kind, 'created');
    };

    const settings = () => ({
      opening: testStore.settings,
      dnsServer: world.dnsServer,
      allow: `${receiverAddress}/32`,
      aheadMs: clock.aheadMs(),
    });
    senders.push(await startSender(settings()), await startSender(settings()));
    for (let kill = 0; kill < kills; kill += 1) {
      const share = (all: number) =>
        Math.floor(((kill + 1) * all) / kills) - Math.floor((kill * all) / kills);
      await Promise.all(Array.from({ length: share(tasksTold) }, () => complete(served)));
      await Promise.all(Array.from({ length: share(tasksInVain) }, () => complete(inVain)));
      await sleep(Math.random() * 200);
      const place = kill % senders.length;
      await killSender(senders[place]);
      senders[place] = await startSender(settings());
    }
    const jumps = await letTimePass(testStore, { clock, senders });
    await Promise.all(senders.map(killSender));

    const rows = await store.read.all(allDeliveries, {});
    const of = (account: typeof served, path: string) =>
      rows.filter(({ webhook_id }) => webhook_id === account.ids.get(path));
    for (const path of ['/takes', '/fails?late', '/hangs?late', '/closes?late']) {
      const sent = of(served, path);
      assert.equal(new Set(sent.map(({ event_id }) => event_id)).size, tasksTold, `${path}: each event once`);
      assert.ok(
        sent.every(({ state }) => state === 'delivered'),
        path,
      );
      assert.deepEqual(taken.get(path)?.size, tasksTold, `${path}: each event received`);
    }
    // Every other look-up of this one leads to a forbidden address: of many messages a few meet it ten times.
    const rebound = of(served, '/takes?rebinds');
    assert.equal(new Set(rebound.map(({ event_id }) => event_id)).size, tasksTold);
    for (const { state, attempts, event_id } of rebound)
      if (state === 'delivered') assert.ok(taken.get('/takes?rebinds')?.has(event_id));
      else assert.deepEqual([state, attempts], ['failed', 10]);
    assert.ok(rebound.filter(({ state }) => state === 'delivered').length > 0.98 * tasksTold);
    assert.ok(of(served, '/gone').every(({ state }) => state === 'failed'));
    for (const path of ['/fails', '/hangs', '/closes', '/redirects']) {
      const sent = of(inVain, path);
      assert.equal(sent.length, tasksInVain, path);
      assert.ok(
        sent.every(({ state }) => state === 'failed'),
        path,
      );
      assert.equal(Math.max(...sent.map(({ attempts }) => attempts)), 10, path);
    }
    const changes = await listChanges({ limit: 100 }, testStore);
    const disabled = changes.filter(({ action }) => action === 'webhook_disabled');
    assert.deepEqual(disabled.map(({ detail }) => detail['because']).sort(), [
      ...Array.from({ length: 4 }, () => 'failing'),
      'gone',
    ]);
    assert.equal(forged, 0, 'every signature is the one that the reference implementation makes');
    assert.equal(forbidden.connections, 0, 'no packet reached a forbidden address');
    t.diagnostic(
      JSON.stringify({ deliveries: rows.length, messages: receiver.messages.length, jumps, kills }),
    );
  });
}

const allDeliveries = statement((db) =>
  db.selectFrom('webhook_delivery').select(['webhook_id', 'event_id', 'state', 'attempts']),
);

const countPending = statement((db, arg: { now: number }) =>
  db
    .selectFrom('webhook_delivery')
    .select((eb) => [
      eb.fn.countAll<number>().as('pending'),
      eb.fn
        .countAll<number>()
        .filterWhere('next_at', '<=', arg.now)
        .filterWhere('lease_until', '<=', arg.now)
        .as('due'),
      eb.fn.countAll<number>().filterWhere('lease_until', '>', arg.now).as('leased'),
      eb.fn.min('next_at').as('next'),
    ])
    .where('state', '=', 'pending'),
);

/** What a dead process had under way comes back when its lease ends, for which time has to pass. */
const waitForLeasesMs = 2_000;
const stepMs = 900_000;

/** Moves the time on whenever nothing more can be done at present, until nothing waits any more. */
async function letTimePass(
  { store }: TestStore,
  { clock, senders }: { clock: ReturnType<typeof createMovableTime>; senders: ChildProcess[] },
): Promise<number> {
  const endsAt = performance.now() + 800_000;
  let quietSince = performance.now();
  for (let jumps = 0; ;) {
    assert.ok(performance.now() < endsAt, 'messages wait for ever');
    const seen = await store.read.first(countPending, { now: clock.now() });
    if (seen === undefined || seen.pending === 0) return jumps;
    const isBusy = seen.due > 0 || (seen.leased > 0 && performance.now() - quietSince < waitForLeasesMs);
    if (!isBusy) {
      clock.advance(stepMs);
      jumps += 1;
      for (const sender of senders) sender.send(clock.aheadMs());
    }
    if (seen.due > 0 || !isBusy) quietSince = performance.now();
    await sleep(20);
  }
}

function createMovableTime() {
  let ahead = 0;
  return { now: () => Date.now() + ahead, aheadMs: () => ahead, advance: (ms: number) => void (ahead += ms) };
}

const script = fileURLToPath(new URL('sending-process.ts', import.meta.url));

const mostStarts = 5;

/** A process that does not reach the database at its start gives up, and is started again as an operator's system does. */
async function startSender(settings: SendingSettings): Promise<ChildProcess> {
  for (let start = 1; start <= mostStarts; start += 1) {
    const child = spawn(process.execPath, [script, JSON.stringify(settings)], {
      stdio: ['ignore', 'pipe', 'inherit', 'ipc'],
    });
    const { stdout } = child;
    assert.ok(stdout);
    const begun = once(stdout, 'data').then(() => 'sending' as const);
    const gone = once(child, 'exit').then(() => 'gone' as const);
    if ((await Promise.race([begun, gone])) === 'sending') return child;
  }
  throw new Error(`a sender did not start in ${mostStarts} attempts`);
}

async function killSender(child: ChildProcess | undefined): Promise<void> {
  if (child === undefined || child.signalCode !== null || child.exitCode !== null) return;
  child.kill('SIGKILL');
  await once(child, 'close');
}
