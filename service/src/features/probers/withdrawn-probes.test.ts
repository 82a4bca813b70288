import assert from 'node:assert/strict';
import { describe, it, type TestContext } from 'node:test';
import { systemClock, type MailboxEvidence, type Patience } from '@mailproof/engine';
import { databases, type TestDatabase } from '../../../test/support/databases.ts';
import { acceptedBy as evidenceOf, probeFor as probeAt } from '../../../test/support/probe-for.ts';
import { openProbes } from '../../../test/support/open-probes.ts';
import { until } from '../../../test/support/until.ts';
import { statement } from '../../core/store/statement.ts';
import { probeLeaseMs } from './probe-source.ts';

/** Probes withdrawn by their caller while a prober holds them: their list was paused. */
const allProbes = statement((db) => db.selectFrom('probe').select(['id', 'evidence']));
const probeFor = (email: string) => probeAt(email, 'default');
const patient = (ms = 60_000): Patience => ({
  deadline: systemClock.now() + ms,
  signal: new AbortController().signal,
});
const never = new AbortController().signal;

async function setUp(t: TestContext, database: TestDatabase) {
  const probes = await openProbes(t, database);
  return { ...probes, rows: () => probes.store.read.all(allProbes, {}) };
}

for (const database of databases)
  describe(`withdrawn probes on ${database.name}`, () => {
    it('a held probe that is withdrawn goes back unasked; one that a conversation has taken is answered', async (t) => {
      const { queue, start, rows, problems } = await setUp(t, database);
      const released = Promise.withResolvers<undefined>();
      const asked: string[] = [];
      const running = start({
        ask: async (probe, { withdrawn }) => {
          const { username } = probe.address;
          asked.push(username);
          if (username === 'waits')
            return new Promise((_, reject) =>
              withdrawn?.addEventListener('abort', () => reject(withdrawn.reason as Error)),
            );
          probe.onNamed?.();
          if (username === 'begun') await released.promise;
          return evidenceOf(probe);
        },
      });
      const paused = new AbortController();
      const ask = (name: string) =>
        queue.ask(probeFor(`${name}@example.com`), { ...patient(), withdrawn: paused.signal });
      const [waits, begun] = [ask('waits'), ask('begun')];
      // The prober may hear of it with any of its reports.
      const goesBack = assert.rejects(waits, /paused/);
      await until(() => asked.length === 2);
      paused.abort(new Error('paused'));
      await until(rows, (all) => all.every(({ evidence }) => evidence !== null));
      // The answer to its next report tells the prober.
      await queue.ask(probeFor('other@example.com'), patient());
      await goesBack;
      released.resolve(undefined);
      assert.equal(((await begun) as MailboxEvidence).kind, 'answered');
      await until(rows, (left) => left.length === 0);
      assert.deepEqual(problems, []);
      await running.stop();
    });

    it('after a withdrawal only the answer of a conversation that had begun counts', async (t) => {
      const { queue, exchange, rows, passTime } = await setUp(t, database);
      const paused = new AbortController();
      const names = ['before', 'after', 'unsaid', 'failed'] as const;
      const answers = names.map((name) =>
        queue.ask(probeFor(`${name}@example.com`), { ...patient(), withdrawn: paused.signal }),
      );
      await until(rows, (all) => all.length === names.length);
      const held = await exchange.lease(
        { holder: 'prober', places: 9, egress: ['default'], waitMs: 0 },
        never,
      );
      paused.abort(new Error('paused'));
      await until(rows, (all) => all.every(({ evidence }) => evidence !== null));
      passTime(10_000);
      const { withdrawn } = await exchange.report({ holder: 'prober', results: [], renew: [] });
      assert.deepEqual(withdrawn.toSorted(), held.map(({ probe }) => probe).sort());
      const times: Record<string, object> = { before: { begunMsAgo: 20_000 }, after: { begunMsAgo: 5_000 } };
      const results = held.map(({ probe, lease, fence, question }) => {
        const name = question.email.split('@')[0] ?? '';
        const evidence = name === 'failed' ? null : evidenceOf(probeFor(question.email));
        return { probe, lease, fence, evidence, ...times[name] };
      });
      await exchange.report({ holder: 'prober', results, renew: [] });
      const [before, ...others] = answers;
      assert.deepEqual(await before, JSON.parse(JSON.stringify(evidenceOf(probeFor('before@example.com')))));
      for (const one of others) await assert.rejects(one, /paused/);
    });

    it('a withdrawn probe is leased to nobody again, and goes back when its holder is lost', async (t) => {
      const { queue, exchange, lease, rows, passTime } = await setUp(t, database);
      const paused = new AbortController();
      const answer = queue.ask(probeFor('one@example.com'), {
        ...patient(600_000),
        withdrawn: paused.signal,
      });
      const order = { holder: 'one', places: 1, egress: ['default'], waitMs: 10_000 };
      assert.equal((await exchange.lease(order, never)).length, 1);
      paused.abort(new Error('paused'));
      await until(rows, (all) => all.every(({ evidence }) => evidence !== null));
      assert.deepEqual(await lease('another'), []);
      passTime(probeLeaseMs + 1_000);
      await assert.rejects(answer, /paused/);
      assert.deepEqual(await rows(), []);
    });
  });
