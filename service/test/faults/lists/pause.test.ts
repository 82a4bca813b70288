import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { World, WorldDescription } from '@mailproof/world';
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

async function startList({ client, key }: Pick<Run, 'client' | 'key'>): Promise<string> {
  const body = numbers.map((n) => `ann@d${n}.test`).join('\n');
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
  });
}
