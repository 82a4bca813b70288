import assert from 'node:assert/strict';
import { describe, it, type TestContext } from 'node:test';
import { systemClock, type MailboxEvidence } from '@mailproof/engine';
import { databases, type TestDatabase } from '../../../test/support/databases.ts';
import { acceptedBy, probeFor } from '../../../test/support/probe-for.ts';
import { until } from '../../../test/support/until.ts';
import { statement } from '../../core/store/statement.ts';
import { createProbeExchange } from './probe-exchange.ts';
import { createProbeQueue } from './probe-queue.ts';

const allProbes = statement((db) => db.selectFrom('probe').select(['asker', 'state', 'lease_until']));
const never = new AbortController().signal;
const patient = () => ({ deadline: systemClock.now() + 600_000, signal: never });

async function setUp(t: TestContext, database: TestDatabase) {
  const { store, close } = await database.open();
  const skew = { ms: 0 };
  const parts = {
    store,
    clock: systemClock,
    wallClock: { now: () => Date.now() + skew.ms },
    onProblem: (message: string) => assert.fail(message),
  };
  const exchange = createProbeExchange(parts);
  const refused = (evidence: MailboxEvidence): MailboxEvidence => ({
    ...evidence,
    meaning: { label: 'mailbox_not_exist', reason: 'user_unknown' },
  });
  const ours = createProbeQueue({ ...parts, processId: 'ours', reread: refused });
  // A process that stands still: it hears of nothing and looks for nothing.
  const deaf = { ...store, listen: () => () => undefined };
  const stopped = { now: () => systemClock.now(), after: () => () => undefined };
  const still = { ...parts, store: deaf, clock: stopped, processId: 'theirs', reread: refused };
  const theirs = createProbeQueue(still);
  t.after(async () => {
    await Promise.all([ours.close(), theirs.close()]);
    exchange.close();
    await close();
  });
  const rows = () => store.read.all(allProbes, {});
  const lease = async (places = 1) => {
    const order = { holder: 'prober', places, egress: ['default'], waitMs: 60_000 };
    const held = await exchange.lease(order, never);
    assert.equal(held.length, places);
    return held;
  };
  return { exchange, ours, theirs, rows, lease, skew };
}

for (const database of databases) {
  describe(`the queue of probes on ${database.name}`, () => {
    it('evidence means what the rules of the asker say, whatever the prober read into it', async (t) => {
      const { ours, exchange, lease } = await setUp(t, database);
      const probe = probeFor('one@example.com', 'default');
      const answer = ours.ask(probe, patient());
      const [held] = await lease();
      assert.ok(held);
      await exchange.report({
        holder: 'prober',
        results: [{ ...held, evidence: acceptedBy(probe) }],
        renew: [],
      });
      const heard = await answer;
      assert.ok(typeof heard !== 'string');
      assert.equal(heard.meaning?.label, 'mailbox_not_exist');
    });

    it('a process withdraws its own probes and takes its own evidence alone', async (t) => {
      const { ours, theirs, exchange, rows, lease } = await setUp(t, database);
      theirs.ask(probeFor('one@example.com', 'default'), patient()).catch(() => undefined);
      await until(rows, (all) => all.length === 1);
      await ours.withdraw('default', '');
      assert.equal((await rows()).length, 1);
      const probe = probeFor('two@example.com', 'default');
      const answer = ours.ask(probe, patient());
      await until(rows, (all) => all.length === 2);
      const results = (await lease(2)).map((held) => ({ ...held, evidence: acceptedBy(probe) }));
      await exchange.report({ holder: 'prober', results, renew: [] });
      assert.equal(((await answer) as MailboxEvidence).kind, 'answered');
      await until(rows, (all) => all.every(({ asker }) => asker !== 'ours'));
      assert.deepEqual(
        (await rows()).map(({ asker, state }) => [asker, state]),
        [['theirs', 'answered']],
      );
    });

    it('a single is leased before bulk that came first, and each is told as what it is', async (t) => {
      const { ours, rows, lease } = await setUp(t, database);
      for (const account of ['acct_a', 'acct_b', 'acct_c']) {
        const probe = probeFor(`${account}@example.com`, 'default', account);
        const bulk = { ...probe, asker: { urgency: 'bulk' as const, account } };
        ours.ask(bulk, patient()).catch(() => undefined);
      }
      await until(rows, (all) => all.length === 3);
      ours.ask(probeFor('single@example.com', 'default', 'acct_d'), patient()).catch(() => undefined);
      await until(rows, (all) => all.length === 4);
      const leased = [...(await lease(1)), ...(await lease(1))];
      assert.deepEqual(
        leased.map(({ asker }) => asker.urgency),
        ['single', 'bulk'],
      );
    });

    it('a prober renews no lease but its own', async (t) => {
      const { ours, exchange, rows, lease, skew } = await setUp(t, database);
      ours.ask(probeFor('one@example.com', 'default'), patient()).catch(() => undefined);
      const [held] = await lease();
      assert.ok(held);
      const [before] = await rows();
      skew.ms = 10_000;
      const { ended } = await exchange.report({ holder: 'thief', results: [], renew: [held.lease] });
      assert.deepEqual(ended, [held.lease]);
      assert.deepEqual(await rows(), [before]);
    });

    it('a probe is not leased after its deadline', async (t) => {
      const { ours, exchange, rows, skew } = await setUp(t, database);
      ours.ask(probeFor('one@example.com', 'default'), patient()).catch(() => undefined);
      await until(rows, (all) => all.length === 1);
      skew.ms = 600_000;
      const order = { holder: 'prober', places: 9, egress: ['default'], waitMs: 0 };
      assert.deepEqual(await exchange.lease(order, never), []);
    });
  });
}
