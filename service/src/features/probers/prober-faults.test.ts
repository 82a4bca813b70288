import assert from 'node:assert/strict';
import { describe, it, type TestContext } from 'node:test';
import { databases, type TestDatabase } from '../../../test/support/databases.ts';
import { statement } from '../../core/store/statement.ts';
import { announceEgress, holderOf } from './outside-egress.ts';
import { eraseUnanswered, forgiveFaults, noteFaults, tendProbers } from './prober-faults.ts';
import { addProber } from './prober-records.ts';

const findProber = statement((db) => db.selectFrom('prober').select(['why_not', 'faults']));
const findEgress = statement((db) => db.selectFrom('egress_address').select(['name', 'well', 'why_not']));
const findProbes = statement((db) => db.selectFrom('probe').select(['id', 'state']).orderBy('id'));

type Row = { id: string; holder: string; until: number };
const insertLeased = statement((db, arg: Row) =>
  db.insertInto('probe').values({
    id: arg.id,
    asker: 'asker',
    egress: 'office/default',
    urgency: 0,
    tag: 'acct',
    question: '{}',
    asked_at: 0,
    deadline_at: 1_000_000,
    state: 'leased',
    holder: arg.holder,
    lease: 'lease',
    fence: 1,
    lease_until: arg.until,
  }),
);

async function setUp(t: TestContext, database: TestDatabase) {
  const { store, close } = await database.open();
  t.after(close);
  const added = await addProber('office', { store, wallClock: { now: () => 0 }, actor: 'command_line' });
  assert.ok(added.kind === 'added');
  const { proberId } = added;
  const presence = { owner: proberId, now: 0, whyNot: '', share: 100 };
  await store.write((tx) => announceEgress(tx, ['office/default'], presence));
  const holder = holderOf(proberId, 'instance');
  return {
    store,
    proberId,
    fault: (now: number) =>
      store.write((tx) => noteFaults(tx, { proberId, faults: 1, whyNot: 'reports_unreadable', now })),
    holds: (id: string, until: number, by = holder) =>
      store.write((tx) => tx.change(insertLeased, { id, holder: by, until })),
    tend: (now: number) => store.write((tx) => tendProbers(tx, now)),
    prober: async () => (await store.read.all(findProber, {}))[0],
    egress: async () => (await store.read.all(findEgress, {}))[0],
    probes: async () => (await store.read.all(findProbes, {})).map(({ id, state }) => `${id} ${state}`),
  };
}

for (const database of databases) {
  describe(`a prober outside with faults, on ${database.name}`, () => {
    it('is put aside at the fifth in a row, loses what it holds, and has its next chance after five minutes', async (t) => {
      const { fault, holds, tend, prober, egress, probes } = await setUp(t, database);
      await holds('a', 60_000);
      for (let n = 0; n < 4; n += 1) assert.equal(await fault(1_000), false);
      assert.equal((await egress())?.well, 1);
      assert.equal(await fault(1_000), true);
      assert.deepEqual(await egress(), { name: 'office/default', well: 0, why_not: 'reports_unreadable' });
      assert.deepEqual(await probes(), ['a waiting']);
      await tend(20_000);
      assert.equal((await prober())?.why_not, 'reports_unreadable');
      await tend(301_000);
      assert.equal((await prober())?.why_not, null);
      assert.equal(await fault(301_001), true, 'one more is enough then');
    });

    it('is forgiven by an answer that can be read', async (t) => {
      const { store, proberId, fault } = await setUp(t, database);
      for (let n = 0; n < 4; n += 1) await fault(0);
      await store.write((tx) => forgiveFaults(tx, proberId));
      for (let n = 0; n < 4; n += 1) assert.equal(await fault(0), false);
      assert.equal(await fault(0), true);
    });

    it('each lease that lapses is one, and its probe is free at once', async (t) => {
      const { holds, tend, prober, probes } = await setUp(t, database);
      for (const id of ['a', 'b', 'c']) await holds(id, 10_000);
      await holds('later', 20_000);
      await holds('inside', 10_000, 'a-process-of-ours');
      await tend(9_999);
      assert.deepEqual(await prober(), { why_not: null, faults: 0 });
      await tend(10_000);
      assert.deepEqual(await prober(), { why_not: null, faults: 3 });
      assert.deepEqual(await probes(), [
        'a waiting',
        'b waiting',
        'c waiting',
        'inside leased',
        'later leased',
      ]);
      await tend(10_001);
      assert.equal((await prober())?.faults, 3, 'each is counted once');
    });

    it('so is each probe that it holds until nobody waits any more; one that nobody leased is no fault', async (t) => {
      const { store, holds, prober, probes } = await setUp(t, database);
      await holds('held', 60_000);
      await holds('inside', 60_000, 'a-process-of-ours');
      for (const id of ['held', 'inside', 'gone']) await store.write((tx) => eraseUnanswered(tx, id, 1_000));
      assert.deepEqual(await prober(), { why_not: null, faults: 1 });
      assert.deepEqual(await probes(), []);
    });
  });
}
