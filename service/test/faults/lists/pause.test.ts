import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { World, WorldDescription } from '@mailproof/world';
import { statement } from '../../../src/core/store/statement.ts';
import { createApiClient, listsPath, type ApiClient } from '../../support/api-client.ts';
import { openFixture, type Fixture } from '../../support/open-fixture.ts';
import { openProberFixture } from '../../support/open-prober-fixture.ts';
import { until } from '../../support/until.ts';

/**
 * A list whose addresses have a slow mail host each, so that each is a conversation of its own. All of its tasks are
 * claimed at once, and as many addresses as one account may have under way are in a conversation when it is paused.
 */
const addresses = 1_200;
const numbers = Array.from({ length: addresses }, (_, n) => n);
const description: WorldDescription = {
  zones: Object.fromEntries(
    numbers.map((n) => [`d${n}.test`, { mx: [[10, `mx.d${n}.test`]] as [number, string][] }]),
  ),
  hosts: Object.fromEntries(
    numbers.map((n) => [
      `mx.d${n}.test`,
      { mailboxes: { ann: 'exists' as const }, temper: { replyDelayMs: 300 } },
    ]),
  ),
};

/** How many addresses of the list were named to a mail host so far. */
function named({ conversations }: World): number {
  const lines = conversations.flatMap((one) => one.lines);
  return lines.filter((line) => /^C: RCPT TO:<ann@/i.test(line)).length;
}

type Run = { client: ApiClient; key: string; world: World; path: string };

async function startList(
  { client, key }: Pick<Run, 'client' | 'key'>,
  body = numbers.map((n) => `ann@d${n}.test`).join('\n'),
): Promise<string> {
  const headers = { 'content-type': 'text/csv' };
  const uploaded = await client.ask({ path: listsPath, key, body, headers });
  const path = `${listsPath}/${String(uploaded.body['list_id'])}`;
  await client.ask({ path: `${path}/start`, key, body: {} });
  return path;
}

const read = async ({ client, key, path }: Run) => (await client.ask({ method: 'GET', path, key })).body;

/** Stops the list once it is under way; answers how many addresses were named after the answer, when all is quiet. */
async function stopMidway(run: Run, action: 'pause' | 'cancel', from: number) {
  const { client, key, world, path } = run;
  await until(() => named(world) >= from);
  const { status, body: told } = await client.ask({ path: `${path}/${action}`, key });
  const before = named(world);
  assert.equal(status, 200);
  assert.equal(told['state'], action === 'pause' ? 'paused' : 'cancelled');
  const record = await until(
    () => read(run),
    (one) => one['finishing'] === 0,
  );
  await until(() => world.counts.smtp.open === 0);
  const after = named(world) - before;
  assert.ok(
    after <= world.counts.smtp.mostOpen,
    `${after} more were asked for, and at most ${world.counts.smtp.mostOpen} were in a conversation`,
  );
  assert.deepEqual(await read(run), record, 'nothing changes once none is finishing');
  return { told, record };
}

async function pauseAndGoOn(run: Run, fixture: Fixture, accountId: string): Promise<void> {
  const { client, key, world, path } = run;
  const { told, record } = await stopMidway(run, 'pause', 150);
  const checked = Number(record['checked']);
  assert.ok(Number(told['finishing']) > 0, 'it says that some are finishing');
  assert.ok(checked <= Number(told['checked']) + Number(told['finishing']), 'and it says how many at most');
  assert.equal(record['credits_used'], checked);
  // An address that was named and withdrawn is none; one that was answered is told.
  assert.ok(checked >= named(world) - world.counts.smtp.mostOpen && checked < addresses);
  assert.deepEqual((await fixture.command('audit'))['violations'], []);

  await client.ask({ path: `${path}/resume`, key });
  const { record: ended } = await stopMidway(run, 'cancel', named(world) + 150);
  assert.ok(Number(ended['checked']) > checked, 'it went on');
  assert.equal((await fixture.balance(accountId)).spent, ended['credits_used'], 'charged as told');
  assert.deepEqual((await fixture.command('audit'))['violations'], []);
}

/** Mailboxes at one slow host: a prober leases all of them at once, and most wait for a conversation. */
const crowd = 400;
const crowdNumbers = Array.from({ length: crowd }, (_, n) => n);
const crowded: WorldDescription = {
  zones: { 'crowd.test': { mx: [[10, 'mx.crowd.test']] } },
  hosts: {
    'mx.crowd.test': {
      mailboxes: Object.fromEntries(crowdNumbers.map((n) => [`ann${n}`, 'exists' as const])),
      temper: { replyDelayMs: 400 },
    },
  },
};

/** The addresses of the crowd that were named to the host so far. */
function namedInCrowd({ conversations }: World): Set<string> {
  const lines = conversations.flatMap((one) => one.lines);
  return new Set(lines.flatMap((line) => /^C: RCPT TO:<(ann\d+)@/i.exec(line)?.[1] ?? []));
}

for (const database of ['SQLite', 'PostgreSQL'] as const) {
  describe(`a list that is paused, then cancelled, on ${database}`, () => {
    it('names no more addresses than were in a conversation, where another process runs it', async (t) => {
      const fixture = await openFixture({ world: description, database });
      t.after(() => fixture.close());
      const { liveKey: key, accountId } = await fixture.openAccount({ credits: addresses });
      const api = await fixture.serve({ role: 'api' });
      await fixture.serve({ role: 'worker' });
      const client = createApiClient(api.url);
      t.after(() => client.close());
      const path = await startList({ client, key });
      await pauseAndGoOn({ client, key, world: fixture.world, path }, fixture, accountId);
    });

    it('names no more addresses than were in a conversation, where a prober outside asks', async (t) => {
      const probers = await openProberFixture({ world: description, database });
      t.after(() => probers.close());
      const { fixture, client, account } = probers;
      await fixture.command('credits', 'grant', account.accountId, String(addresses));
      await probers.startProber('far');
      await probers.untilWell('far');
      const key = account.liveKey;
      const path = await startList({ client, key });
      await pauseAndGoOn({ client, key, world: fixture.world, path }, fixture, account.accountId);
    });

    it('what a prober outside holds and has begun no conversation for goes back unasked and uncharged', async (t) => {
      const probers = await openProberFixture({ world: crowded, database });
      t.after(() => probers.close());
      const { fixture, client, account, store } = probers;
      // Manners bound the conversations with one host.
      await probers.startProber('far', { env: { MAILPROOF_PACING: 'on' } });
      await probers.untilWell('far');
      const { world } = fixture;
      const { liveKey: key, accountId } = account;
      const body = crowdNumbers.map((n) => `ann${n}@crowd.test`).join('\n');
      const path = await startList({ client, key }, body);
      await until(() => namedInCrowd(world).size > 0);
      const held = await until(
        async () => Number((await store.read.first(heldOutside, {}))?.held),
        (count) => count >= 60,
      );
      await client.ask({ path: `${path}/pause`, key });
      const run = { client, key, world, path };
      const record = await until(
        () => read(run),
        (one) => one['finishing'] === 0,
      );
      await until(() => world.counts.smtp.open === 0);
      const named = namedInCrowd(world).size;
      const checked = Number(record['checked']);
      assert.ok(named < held, `${named} were asked for, and ${held} were held`);
      assert.ok(checked <= named, `${checked} count as checked, and ${named} were asked for`);
      assert.equal(record['credits_used'], checked);
      assert.equal(Number((await store.read.first(heldOutside, {}))?.held), 0, 'the prober holds nothing');
      assert.deepEqual((await fixture.command('audit'))['violations'], []);

      await client.ask({ path: `${path}/cancel`, key });
      assert.equal((await fixture.balance(accountId)).spent, checked, 'charged as told');
    });
  });
}

const heldOutside = statement((db) =>
  db
    .selectFrom('probe')
    .select(({ fn }) => fn.countAll<number>().as('held'))
    .where('holder', 'like', '%:%'),
);
