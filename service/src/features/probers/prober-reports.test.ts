import assert from 'node:assert/strict';
import { describe, it, type TestContext } from 'node:test';
import { createPolicyBook, systemClock, type Clock } from '@mailproof/engine';
import { databases, type TestDatabase } from '../../../test/support/databases.ts';
import { acceptedBy, probeFor } from '../../../test/support/probe-for.ts';
import { until } from '../../../test/support/until.ts';
import { statement } from '../../core/store/statement.ts';
import { readEgress, takeEgress } from './egress-addresses.ts';
import { endSilentProbers } from './outside-egress.ts';
import { createProbeExchange } from './probe-exchange.ts';
import { createProbeQueue } from './probe-queue.ts';
import { createProberCentre } from './prober-centre.ts';
import { writeEvidence } from './evidence-messages.ts';
import type { LeaseAnswerMessage } from './prober-messages.ts';
import { addProber, makeProberSecret, removeProber, type KnownProber } from './prober-records.ts';

const allProbes = statement((db) =>
  db.selectFrom('probe').select(['egress', 'state', 'holder']).orderBy('egress'),
);
const remembered = statement((db) => db.selectFrom('engine_memory').select(['kind', 'key']).orderBy('key'));
const setWhyNot = statement((db, arg: { id: string; whyNot: string }) =>
  db.updateTable('prober').set({ why_not: arg.whyNot }).where('id', '=', arg.id),
);
const never = new AbortController().signal;
const hourMs = 3_600_000;
/** A prober is taken for gone after this long. */
const silenceMs = 34_000;
const patient = () => ({ deadline: systemClock.now() + hourMs, signal: never });

const noControls = {
  missing: () => undefined,
  checkIfDue: () => undefined,
  count: () => undefined,
  stop: () => undefined,
};

async function setUp(t: TestContext, database: TestDatabase) {
  const { store, close } = await database.open();
  const skew = { ms: 0 };
  const parts = {
    store,
    clock: {
      now: () => systemClock.now() + skew.ms,
      after: (...given) => systemClock.after(...given),
    } satisfies Clock,
    wallClock: { now: () => Date.now() + skew.ms },
    actor: 'operator' as const,
    onProblem: (message: string) => assert.fail(message),
  };
  const file = { providers: new Map(), routes: [], canaries: [] };
  const policies = createPolicyBook({ file, pacing: 'on' });
  const exchange = createProbeExchange({ ...parts, clock: systemClock });
  const queue = createProbeQueue({ ...parts, clock: systemClock, processId: 'asker', reread: (one) => one });
  const centre = createProberCentre({ ...parts, exchange, controls: noControls, policies });
  t.after(async () => {
    centre.close();
    await queue.close();
    exchange.close();
    await close();
  });
  const enrol = async (name: string) => {
    const added = await addProber(name, parts);
    assert.ok(added.kind === 'added');
    const secret = makeProberSecret();
    assert.equal((await centre.enrol({ token: added.token, secret })).kind, 'enrolled');
    const prober = await centre.authenticate(`Bearer ${secret}`);
    assert.ok(prober);
    return { prober, secret, token: added.token };
  };
  const lease = async (
    prober: KnownProber,
    more: { instance?: string; egress?: string[]; unwell?: string } = {},
  ) => {
    const message = {
      instance: 'instance-one',
      version: '1',
      places: 10,
      egress: ['default'],
      wait_ms: 0,
      conversations: 0,
      resting: 0,
      ...more,
    };
    const isStillKnown = () => Promise.resolve(true);
    const answer = await centre.lease(message, {
      prober,
      protocol: 1,
      address: '192.0.2.9',
      signal: never,
      isStillKnown,
    });
    assert.ok(answer !== 'removed');
    return answer;
  };
  const ask = (email: string, egress: string, account?: string): void => {
    queue.ask(probeFor(email, egress, account), patient()).catch(() => undefined);
  };
  return { store, parts, skew, centre, enrol, lease, ask, rows: () => store.read.all(allProbes, {}) };
}

function resultOf({ probe, lease, fence }: LeaseAnswerMessage['probes'][number]) {
  const evidence = writeEvidence(acceptedBy(probeFor('one@example.com', 'default')));
  return { probe, lease, fence, evidence };
}

for (const database of databases) {
  describe(`the centre of probers on ${database.name}`, () => {
    it('a report of an instance that another has replaced counts for nothing', async (t) => {
      const { centre, enrol, lease, ask, rows, skew } = await setUp(t, database);
      const { prober } = await enrol('far');
      ask('one@example.com', 'far/default');
      await until(rows, (all) => all.length === 1);
      const [held] = (await lease(prober)).probes;
      assert.ok(held);
      skew.ms = silenceMs + 1_000;
      assert.equal(
        (await lease(prober, { instance: 'instance-two', egress: ['second'] })).stand_by_ms,
        undefined,
      );
      const report = {
        instance: 'instance-one',
        results: [resultOf(held)],
        learned: [],
        renew: [held.lease],
      };
      assert.deepEqual(await centre.report(report, { prober, protocol: 1 }), { ended: [held.lease] });
      assert.deepEqual(
        (await rows()).map(({ state }) => state),
        ['leased'],
      );
    });

    it('a second instance stands by while the first is heard of', async (t) => {
      const { enrol, lease, ask } = await setUp(t, database);
      const { prober } = await enrol('far');
      await lease(prober);
      ask('one@example.com', 'far/default');
      const second = await lease(prober, { instance: 'instance-two' });
      assert.ok((second.stand_by_ms ?? 0) > 0);
      assert.deepEqual(second.probes, []);
    });

    it('a prober is told of an account by a mark of its own, never by its id', async (t) => {
      const { enrol, lease, ask, rows } = await setUp(t, database);
      const [one, two] = [await enrol('one'), await enrol('two')];
      for (const name of ['one', 'two']) {
        ask(`a@${name}.example`, `${name}/default`, 'acct_first');
        ask(`b@${name}.example`, `${name}/default`, 'acct_first');
        ask(`c@${name}.example`, `${name}/default`, 'acct_second');
      }
      await until(rows, (all) => all.length === 6);
      const leased = [(await lease(one.prober)).probes, (await lease(two.prober)).probes];
      assert.deepEqual(
        leased.map((probes) => probes.length),
        [3, 3],
      );
      assert.ok(!JSON.stringify(leased).includes('acct_'));
      const marks = leased.map((probes) => probes.map(({ tag }) => tag));
      for (const tags of marks) assert.equal(new Set(tags).size, 2, 'one mark for each account');
      assert.equal(new Set(marks.flat()).size, 4, 'and other marks for another prober');
    });

    it('something is learnt of domains that the prober was asked about, and of no other', async (t) => {
      const { store, centre, enrol, lease, ask } = await setUp(t, database);
      const { prober } = await enrol('far');
      await lease(prober);
      ask('one@example.com', 'far/default');
      const [held] = (
        await until(
          () => lease(prober),
          ({ probes }) => probes.length > 0,
        )
      ).probes;
      assert.ok(held);
      const learned = ['elsewhere.test', 'example.com'].map((key) => ({
        kind: 'catch_all' as const,
        key,
        value: 'yes',
        life_ms: hourMs,
      }));
      const report = { instance: 'instance-one', results: [], learned, renew: [] };
      await centre.report(report, { prober, protocol: 1 });
      const keys = (await store.read.all(remembered, {})).map(({ key }) => key);
      assert.deepEqual(keys, ['example.com']);
    });

    it('a prober in quarantine, or one that says it is unwell, is asked nothing and believed nothing', async (t) => {
      const { store, centre, enrol, lease, ask, rows } = await setUp(t, database);
      const { prober } = await enrol('far');
      await lease(prober);
      ask('one@example.com', 'far/default');
      await until(rows, (all) => all.length === 1);
      assert.deepEqual((await lease(prober, { unwell: 'port_blocked' })).probes, []);
      const [held] = (await lease(prober)).probes;
      assert.ok(held, 'well again, it is asked');
      await store.write((tx) => tx.change(setWhyNot, { id: prober.id, whyNot: 'controls_wrong' }));
      ask('two@example.com', 'far/default');
      await until(rows, (all) => all.length === 2);
      assert.deepEqual((await lease(prober)).probes, []);
      const learned = [{ kind: 'catch_all' as const, key: 'example.com', value: 'yes', life_ms: hourMs }];
      await centre.report(
        { instance: 'instance-one', results: [], learned, renew: [] },
        { prober, protocol: 1 },
      );
      assert.deepEqual(await store.read.all(remembered, {}), []);
    });

    it('an enrolment token is good for an hour, and for one secret', async (t) => {
      const { centre, enrol, parts, skew } = await setUp(t, database);
      const { token, secret } = await enrol('far');
      assert.equal((await centre.enrol({ token, secret })).kind, 'enrolled', 'the same may repeat it');
      assert.equal((await centre.enrol({ token, secret: makeProberSecret() })).kind, 'refused');
      const late = await addProber('late', parts);
      assert.ok(late.kind === 'added');
      skew.ms = hourMs;
      assert.equal((await centre.enrol({ token: late.token, secret: makeProberSecret() })).kind, 'refused');
    });

    it('a removed prober loses its addresses and what it holds; others keep theirs', async (t) => {
      const { store, parts, centre, enrol, lease, ask, rows, skew } = await setUp(t, database);
      const [gone, other] = [await enrol('gone'), await enrol('other')];
      for (const name of ['gone', 'other']) ask(`a@${name}.example`, `${name}/default`);
      await until(rows, (all) => all.length === 2);
      for (const { prober } of [gone, other]) assert.equal((await lease(prober)).probes.length, 1);
      await removeProber('gone', parts);
      const [first, second] = await rows();
      assert.deepEqual([first?.state, first?.holder, second?.state], ['waiting', '', 'leased']);
      const names = (await readEgress(store.read)).map(({ name }) => name);
      assert.deepEqual(names, ['other/default']);
      skew.ms = 950;
      assert.equal(await centre.authenticate(`Bearer ${gone.secret}`), undefined);
    });

    it('a prober that is heard of no more cannot ask, and what it held goes to others', async (t) => {
      const { store, enrol, lease, ask, rows } = await setUp(t, database);
      const { prober } = await enrol('far');
      ask('one@example.com', 'far/default');
      await until(rows, (all) => all.length === 1);
      assert.equal((await lease(prober)).probes.length, 1);
      const silentAt = Date.now() + silenceMs + 1_000;
      assert.equal(await store.write((tx) => endSilentProbers(tx, silentAt)), 1);
      assert.deepEqual(
        (await rows()).map(({ state }) => state),
        ['waiting'],
      );
      const [address] = await readEgress(store.read);
      assert.deepEqual([address?.well, address?.whyNot], [false, 'silent']);
    });

    it('a prober takes no address that a process of the installation owns', async (t) => {
      const { store, enrol, lease } = await setUp(t, database);
      const { prober } = await enrol('far');
      await store.write((tx) =>
        takeEgress(tx, 'far/default', { owner: 'process', now: Date.now(), isDead: () => false }),
      );
      await lease(prober);
      const [address] = await readEgress(store.read);
      assert.deepEqual([address?.owner, address?.kind], ['process', 'inside']);
    });
  });
}
