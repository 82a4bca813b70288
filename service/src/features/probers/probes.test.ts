import assert from 'node:assert/strict';
import { describe, it, type TestContext } from 'node:test';
import {
  parseAddress,
  systemClock,
  type CanonicalHost,
  type MailboxEvidence,
  type Patience,
  type Probe,
  type Prober,
} from '@mailproof/engine';
import { statement } from '../../core/store/statement.ts';
import { databases, type TestDatabase } from '../../../test/support/databases.ts';
import { openProbes } from '../../../test/support/open-probes.ts';
import { until } from '../../../test/support/until.ts';
import { eraseOverdueProbes } from './probe-rows.ts';
import { probeLeaseMs } from './probe-source.ts';

const allProbes = statement((db) => db.selectFrom('probe').select(['id', 'state', 'fence', 'holder']));

function probeFor(email: string, asker: Partial<Probe['asker']> = {}): Probe & { egress: string } {
  const parsed = parseAddress(email);
  if (parsed.kind === 'invalid') throw new Error(parsed.fault);
  const name = `mx.${parsed.address.host}` as CanonicalHost;
  const first = { name, addresses: ['192.0.2.1', '2001:db8::1'] };
  return {
    address: parsed.address,
    route: { kind: 'takes_mail', implicit: false, mxRecords: [name], preferred: 1, first, further: [] },
    asker: { urgency: 'single', account: 'acct_a', ...asker },
    egress: 'default',
  };
}

function evidenceOf(probe: Probe): MailboxEvidence {
  const text = `ok ${probe.address.email}`;
  return {
    kind: 'answered',
    host: probe.route.first.name,
    replies: [{ phase: 'rcpt', code: 250, enhanced: '2.1.5', text }],
    meaning: { label: 'accepted', reason: 'accepted' },
    catchAll: { kind: 'undetermined', meaning: undefined },
  };
}

const honest: Prober = { ask: (probe) => Promise.resolve(evidenceOf(probe)) };
const patient = (ms = 60_000): Patience => ({
  deadline: systemClock.now() + ms,
  signal: new AbortController().signal,
});
const never = new AbortController().signal;

async function setUp(t: TestContext, database: TestDatabase) {
  const probes = await openProbes(t, database);
  return { ...probes, rows: () => probes.store.read.all(allProbes, {}) };
}

for (const database of databases) {
  describe(`probes handed to a prober on ${database.name}`, () => {
    it('each is answered with its own evidence, and nothing of it is left in the store', async (t) => {
      const { queue, start, rows, problems } = await setUp(t, database);
      const running = start(honest);
      const probes = Array.from({ length: 40 }, (_, n) =>
        probeFor(`m${n}@example.com`, { urgency: n % 2 === 0 ? 'bulk' : 'single' }),
      );
      const answers = await Promise.all(probes.map((probe) => queue.ask(probe, patient())));
      assert.deepEqual(
        answers,
        probes.map((probe) => JSON.parse(JSON.stringify(evidenceOf(probe))) as MailboxEvidence),
      );
      await running.stop();
      await until(rows, (left) => left.length === 0);
      assert.deepEqual(problems, []);
    });

    it('a single does not wait for a look at the clock: notices wake the prober and the asker', async (t) => {
      const { queue, start } = await setUp(t, database);
      const running = start(honest);
      await queue.ask(probeFor('warm@example.com'), patient());
      const times: number[] = [];
      for (let n = 0; n < 9; n += 1) {
        const began = performance.now();
        await queue.ask(probeFor(`m${n}@example.com`), patient());
        times.push(performance.now() - began);
      }
      const median = times.toSorted((a, b) => a - b)[4] ?? Infinity;
      assert.ok(median < 400, `half of them took ${median} ms and more; looks come once a second`);
      await running.stop();
    });

    it('singles are leased first, then accounts in turn, and no more than there are places', async (t) => {
      const { queue, lease, rows } = await setUp(t, database);
      const ask = (email: string, asker: Partial<Probe['asker']>) =>
        void queue.ask(probeFor(email, asker), patient()).catch(() => undefined);
      for (let n = 0; n < 5; n += 1) ask(`a${n}@example.com`, { urgency: 'bulk', account: 'acct_a' });
      await until(rows, (all) => all.length === 5);
      ask('b@example.com', { urgency: 'bulk', account: 'acct_b' });
      ask('c@example.com', { urgency: 'single', account: 'acct_a' });
      await until(rows, (all) => all.length === 7);
      const first = await lease('prober', 3);
      assert.deepEqual(first.map(({ question }) => question.email[0]).sort(), ['a', 'b', 'c']);
      assert.equal(first[0]?.question.email, 'c@example.com');
      assert.equal((await lease('prober')).length, 4);
      assert.deepEqual(await lease('prober'), []);
    });

    it('an answer counts once, and only from who holds the probe under its lease and fence', async (t) => {
      const { queue, lease, exchange } = await setUp(t, database);
      const probe = probeFor('one@example.com');
      const answer = queue.ask(probe, patient());
      const [held] = await exchange.lease(
        { holder: 'prober', places: 1, egress: ['default'], waitMs: 10_000 },
        never,
      );
      assert.ok(held !== undefined);
      const { probe: id, lease: name, fence } = held;
      const result = { probe: id, lease: name, fence, evidence: evidenceOf(probe) };
      const lie = { ...evidenceOf(probe), replies: [] };
      const report = (holder: string, one: typeof result) =>
        exchange.report({ holder, results: [one], renew: [] }).then(({ counted }) => counted.length);
      assert.equal(await report('stranger', { ...result, evidence: lie }), 0);
      assert.equal(await report('prober', { ...result, fence: fence + 1, evidence: lie }), 0);
      assert.equal(await report('prober', { ...result, lease: 'another', evidence: lie }), 0);
      assert.equal(await report('prober', { ...result, probe: 'unheard of', evidence: lie }), 0);
      assert.equal(await report('prober', result), 1);
      assert.equal(await report('prober', { ...result, evidence: lie }), 0);
      assert.deepEqual(await answer, JSON.parse(JSON.stringify(evidenceOf(probe))));
      assert.deepEqual(await lease('prober'), []);
    });

    it('what a prober does not renew others may ask after a minute, and its late answer counts for nothing', async (t) => {
      const { queue, lease, exchange, passTime } = await setUp(t, database);
      const probe = probeFor('one@example.com');
      const answer = queue.ask(probe, patient(600_000));
      const order = { holder: 'one', places: 1, egress: ['default'], waitMs: 10_000 };
      const [lost] = await exchange.lease(order, never);
      assert.ok(lost !== undefined);
      passTime(probeLeaseMs - 1_000);
      assert.deepEqual(await lease('one'), []);
      const renewed = await exchange.report({ holder: 'one', results: [], renew: [lost.lease, 'unknown'] });
      assert.deepEqual(renewed.ended, ['unknown']);
      passTime(probeLeaseMs - 1_000);
      assert.deepEqual(await lease('one'), []);
      passTime(2_000);
      const [found] = await lease('one');
      assert.equal(found?.fence, lost.fence + 1);
      const evidence = evidenceOf(probe);
      const late = { holder: 'one', results: [{ ...lost, evidence }], renew: [] };
      assert.equal((await exchange.report(late)).counted.length, 0);
      await exchange.report({ holder: 'one', results: [{ ...found, evidence }], renew: [] });
      assert.equal(((await answer) as MailboxEvidence).kind, 'answered');
    });

    it('the next owner of an egress address takes over at once what the last one held', async (t) => {
      const { queue, lease, exchange } = await setUp(t, database);
      void queue.ask(probeFor('one@example.com'), patient()).catch(() => undefined);
      const order = { holder: 'first', places: 1, egress: ['default'], waitMs: 10_000 };
      const [held] = await exchange.lease(order, never);
      const [taken] = await lease('second');
      assert.equal(taken?.probe, held?.probe);
      assert.equal(taken?.fence, 2);
    });

    it('who may not have a probe any more does not get it, and the next one does', async (t) => {
      const { queue, lease, exchange } = await setUp(t, database);
      void queue.ask(probeFor('one@example.com'), patient()).catch(() => undefined);
      const order = { holder: 'removed', places: 1, egress: ['default'], waitMs: 60_000 };
      const refused = await exchange.lease({ ...order, mayKeep: () => Promise.resolve(false) }, never);
      assert.deepEqual(refused, [], 'it does not wait for more either');
      assert.equal((await lease('other')).length, 1);
    });

    it('a lease whose answer was lost on the way is leased again when the prober says what it has', async (t) => {
      const { queue, exchange, lease } = await setUp(t, database);
      const ask = (email: string) => void queue.ask(probeFor(email), patient()).catch(() => undefined);
      const order = { holder: 'prober', places: 1, egress: ['default'], waitMs: 10_000 };
      ask('one@example.com');
      const [arrived] = await exchange.lease(order, never);
      ask('two@example.com');
      const [lost] = await exchange.lease(order, never);
      assert.deepEqual(await lease('prober'), []);
      const again = await exchange.lease({ ...order, holding: [arrived!.lease] }, never);
      assert.deepEqual(
        again.map(({ probe, fence }) => [probe, fence]),
        [[lost?.probe, 2]],
      );
    });

    it('what nobody asks at an egress address can be withdrawn, and is then asked elsewhere', async (t) => {
      const { queue, lease, rows } = await setUp(t, database);
      const first = queue.ask(probeFor('one@example.com'), patient());
      await until(rows, (all) => all.length === 1);
      await lease('prober');
      const second = queue.ask(probeFor('two@example.com'), patient());
      second.catch(() => undefined);
      first.catch(() => undefined);
      await until(rows, (all) => all.length === 2);
      assert.deepEqual([...queue.busy()], ['default']);
      await queue.withdraw('default', 'prober');
      assert.equal(await second, 'ask_another');
      assert.deepEqual(
        (await rows()).map(({ state }) => state),
        ['leased'],
      );
      // Its holder died, and nobody else owns the address: what it had leased need not wait for the end of that lease.
      await queue.withdraw('default', '');
      assert.equal(await first, 'ask_another');
    });

    it('what is only being written while its egress address loses its owner is asked elsewhere, and its row goes', async (t) => {
      const { queue, rows } = await setUp(t, database);
      const answer = queue.ask(probeFor('one@example.com'), patient());
      await queue.withdraw('default', '');
      assert.equal(await answer, 'ask_another');
      await until(rows, (all) => all.length === 0);
    });

    it('the deadline and an abort end the waiting, and the probe goes with it', async (t) => {
      const { queue, rows } = await setUp(t, database);
      const late = await queue.ask(probeFor('late@example.com'), patient(50));
      assert.deepEqual(
        typeof late !== 'string' && late.kind === 'no_answer' ? late.reason : late,
        'smtp_timeout',
      );
      const client = new AbortController();
      const left = queue.ask(probeFor('left@example.com'), { ...patient(), signal: client.signal });
      client.abort(new Error('gone'));
      await assert.rejects(left, /gone/);
      await until(rows, (all) => all.length === 0);
    });

    it('one that is written in the moment in which another was erased goes as well', async (t) => {
      const { store, openQueue, rows } = await setUp(t, database);
      const held: (() => void)[] = [];
      let isHolding = false;
      // Answers writes together, as where they share a transaction; the last first.
      const write: typeof store.write = async (...given) => {
        const written = await store.write(...given);
        if (isHolding) await new Promise<void>((resolve) => void held.unshift(resolve));
        return written;
      };
      const queue = openQueue({ ...store, write });
      const late = queue.ask(probeFor('late@example.com'), patient(1_000));
      await until(rows, (all) => all.length === 1);
      isHolding = true;
      await late;
      const client = new AbortController();
      const left = queue.ask(probeFor('left@example.com'), { ...patient(), signal: client.signal });
      client.abort(new Error('gone'));
      await assert.rejects(left, /gone/);
      await until(() => held.length === 2);
      isHolding = false;
      for (const answer of held) answer();
      await until(rows, (all) => all.length === 0);
    });

    it('probes of an asker that died go soon after their deadline', async (t) => {
      const { queue, store, rows } = await setUp(t, database);
      void queue.ask(probeFor('one@example.com'), patient(5_000)).catch(() => undefined);
      await until(rows, (all) => all.length === 1);
      const erase = (now: number) => store.write((tx) => eraseOverdueProbes(tx, now));
      assert.equal(await erase(Date.now()), 0);
      assert.equal(await erase(Date.now() + 20_000), 1);
    });

    it('a prober that fails says so, and the asker hears of a defect, not of a mailbox', async (t) => {
      const { queue, start, problems } = await setUp(t, database);
      const running = start({ ask: () => Promise.reject(new Error('broken')) });
      assert.equal(await queue.ask(probeFor('one@example.com'), patient()), 'unreadable');
      assert.deepEqual(problems, ['a probe failed']);
      await running.stop();
    });

    it('a prober that stops lets what is under way end, and what is left another asks', async (t) => {
      const { queue, start } = await setUp(t, database);
      const asked: string[] = [];
      const release = Promise.withResolvers<undefined>();
      const slow: Prober = {
        ask: async (probe, { signal }) => {
          asked.push(probe.address.username);
          if (probe.address.username === 'soon') await release.promise;
          else
            await new Promise((_, reject) =>
              signal.addEventListener('abort', () => reject(new Error('cut'))),
            );
          return evidenceOf(probe);
        },
      };
      const first = start(slow, 'first');
      const answers = ['soon@example.com', 'stuck@example.com'].map((email) =>
        queue.ask(probeFor(email), patient()),
      );
      await until(
        () => asked.length,
        (count) => count === 2,
      );
      const stopped = first.stop(1_000);
      release.resolve(undefined);
      assert.equal(((await answers[0]) as MailboxEvidence).kind, 'answered');
      await stopped;
      const second = start(honest, 'second');
      assert.equal(((await answers[1]) as MailboxEvidence).kind, 'answered');
      await second.stop();
    });
  });
}
