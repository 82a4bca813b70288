/** Probers that lie, are removed, come twice or sit behind a connection that breaks. */
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { after, before, describe, test } from 'node:test';
import { systemClock, type MailboxEvidence, type Prober } from '@mailproof/engine';
import type { WorldDescription } from '@mailproof/world';
import { statement } from '../../src/core/store/statement.ts';
import { createHttpsSource, enrolAt } from '../../src/features/probers/https-source.ts';
import { makeProberSecret } from '../../src/features/probers/prober-records.ts';
import { runProber } from '../../src/features/probers/run-prober.ts';
import { enrolByHand, leaseProbes, no, yes, type LeasedProbe } from '../support/enrol-by-hand.ts';
import { openProberFixture, type ProberFixture } from '../support/open-prober-fixture.ts';
import { startProxy } from '../support/postgres/proxy.ts';
import { until } from '../support/until.ts';

const mailboxes = Object.fromEntries(Array.from({ length: 30 }, (_, n) => [`m${n}`, 'exists' as const]));
const world: WorldDescription = {
  zones: { 'brisk.test': { mx: [[10, 'mx.brisk.test']] } },
  hosts: { 'mx.brisk.test': { mailboxes: { ...mailboxes, alive: 'exists' } } },
};
const never = new AbortController().signal;

/** What a removal and a quarantine do first: what the prober holds is taken from it after that. */
const forgetProber = statement((db, arg: { id: string }) => db.deleteFrom('prober').where('id', '=', arg.id));
const quarantineProber = statement((db, arg: { id: string }) =>
  db.updateTable('prober').set({ why_not: 'controls_wrong' }).where('id', '=', arg.id),
);
const dropEgress = statement((db, arg: { owner: string }) =>
  db.deleteFrom('egress_address').where('owner', '=', arg.owner),
);

const makeControlsDue = statement((db, arg: { id: string }) =>
  db.updateTable('prober').set({ controlled_at: 0 }).where('id', '=', arg.id),
);
const findRemembered = statement((db, arg: { writer: string }) =>
  db.selectFrom('engine_memory').select('value').where('writer', '=', arg.writer),
);

type ControlProbe = LeasedProbe & { question: { email: string } };

describe('a centre that trusts no prober', () => {
  let fixture: ProberFixture;
  before(async () => {
    fixture = await openProberFixture({ world, database: 'SQLite', absentProber: true });
  });
  after(() => fixture.close());

  test('401: a token is good once, and a secret that nobody enrolled opens nothing', async () => {
    const one = await enrolByHand(fixture, 'once');
    const again = await one.post('enrol', { token: one.token });
    assert.equal(again.status, 200, 'the same prober may repeat its request');
    const thief = await one.post('enrol', { token: one.token }, makeProberSecret());
    assert.deepEqual([thief.status, thief.body['reason']], [401, 'invalid_enrolment_token']);
    const unknown = await one.post('lease', {}, makeProberSecret());
    assert.deepEqual([unknown.status, unknown.body['reason']], [401, 'prober_not_known']);
    await fixture.remove('once');
  });

  test('400: what does not fit is refused whole: too much, unknown fields, wrong types', async () => {
    const one = await enrolByHand(fixture, 'bounds');
    const report = { instance: one.instance, results: [], learned: [], renew: [] };
    const result = { probe: 'p', lease: 'l', fence: 1, evidence: null };
    for (const wrong of [
      { ...report, more: 1 },
      { ...report, results: Array.from({ length: 201 }, () => result) },
      { ...report, results: [{ ...result, fence: -1 }] },
      { ...report, results: [{ ...result, evidence: { ...yes('x'), host: 'h'.repeat(300) } }] },
      {
        ...report,
        learned: Array.from({ length: 201 }, () => ({ kind: 'rest', key: 'k', value: 1, life_ms: 1 })),
      },
      { ...report, renew: [7] },
      { ...report, instance: 'x' },
    ])
      assert.equal((await one.post('report', wrong)).status, 400, JSON.stringify(wrong).slice(0, 100));
    assert.equal((await one.post('report', report)).status, 200);
    assert.equal((await one.lease({ places: 501 })).status, 400);
    await fixture.remove('bounds');
  });

  test('a second instance with the same secret stands by while the first is there', async () => {
    const one = await enrolByHand(fixture, 'twins');
    assert.equal((await one.lease({ wait_ms: 0 })).body['stand_by_ms'], undefined);
    const second = await one.lease({ wait_ms: 0, instance: randomUUID() });
    assert.ok(Number(second.body['stand_by_ms']) > 0);
    assert.deepEqual(second.body['probes'], []);
    await fixture.remove('twins');
  });

  test('evidence counts for who holds the probe, once; accounts are not told; a foreign report changes nothing', async () => {
    const { account, client } = fixture;
    const holder = await enrolByHand(fixture, 'holder');
    const thief = await enrolByHand(fixture, 'thief');
    await holder.lease({ wait_ms: 0 });
    await fixture.untilWell('holder');
    const answer = client.verify(account.liveKey, 'm1@brisk.test');
    const [probe] = await leaseProbes(holder, [answer]);
    assert.ok(probe !== undefined && !JSON.stringify(probe).includes(account.accountId));
    const { probe: id, lease, fence } = probe;
    const lie = {
      ...yes('m1'),
      replies: [{ phase: 'rcpt', code: 550, enhanced: '5.1.1', text: 'No such user' }],
    };
    const report = (who: typeof holder, evidence: object, more: object = {}) =>
      who.post('report', {
        instance: who.instance,
        results: [{ probe: id, lease, fence, evidence, ...more }],
        learned: [{ kind: 'catch_all', key: 'elsewhere.test', value: 'yes', life_ms: 1_000_000 }],
        renew: [lease],
      });
    const foreign = await report(thief, lie);
    assert.deepEqual(foreign.body['ended'], [lease]);
    await report(holder, lie, { fence: fence + 1 });
    await report(holder, yes('m1'));
    await report(holder, lie);
    assert.equal((await answer).body['status'], 'safe');
    const learned = await fixture.fixture.query(`select key from engine_memory where key = 'elsewhere.test'`);
    assert.deepEqual(learned, [], 'nothing is learnt of domains that it was not asked about');
    await Promise.all(['holder', 'thief'].map(fixture.remove));
  });

  test('removed under load, nothing of it is accepted a second later, and others answer what it held', async () => {
    const { account, client } = fixture;
    const gone = await enrolByHand(fixture, 'gone');
    await gone.lease({ wait_ms: 0 });
    await fixture.untilWell('gone');
    const answers = Array.from({ length: 8 }, (_, n) => client.verify(account.liveKey, `m${n}@brisk.test`));
    const held = await leaseProbes(gone, answers);
    const waiting = gone.lease({ wait_ms: 25_000 });
    await fixture.startProber('heir');
    await fixture.remove(gone.proberId);
    const refused = await until(
      () =>
        gone.post('report', {
          instance: gone.instance,
          results: held.map(({ probe, lease, fence }) => ({ probe, lease, fence, evidence: null })),
          learned: [],
          renew: [],
        }),
      ({ status }) => status === 401,
    );
    assert.equal(refused.body['reason'], 'prober_not_known');
    assert.equal(
      (await waiting).status,
      401,
      'who waits is sent away, and not with the 200 of a wait that ended',
    );
    for (const answer of await Promise.all(answers)) assert.equal(answer.body['status'], 'safe');
    await fixture.remove('heir');
  });

  for (const { what, change, status } of [
    { what: 'removed', change: forgetProber, status: 401 },
    { what: 'in quarantine', change: quarantineProber, status: 200 },
  ]) {
    test(`${what} while it waits, it is given no probe that comes a moment later`, async () => {
      const { account, client, store } = fixture;
      const one = await enrolByHand(fixture, 'waiter');
      await one.lease({ wait_ms: 0 });
      await fixture.untilWell('waiter');
      const waiting = one.lease({ wait_ms: 25_000, version: 'waiting' });
      await until(fixture.list, (all) => all.some(({ version }) => version === 'waiting'));
      await store.write((tx) => tx.change(change, { id: one.proberId }));
      // Nobody knows yet that it is not asked through any more.
      const verdict = client.verify(account.liveKey, 'm1@brisk.test');
      const answer = await waiting;
      assert.equal(answer.status, status, JSON.stringify(answer.body));
      if (status === 200) assert.deepEqual(answer.body['probes'], []);
      await fixture.startProber(`next-${status}`);
      await fixture.untilWell(`next-${status}`);
      await fixture.remove(one.proberId);
      await store.write((tx) => tx.change(dropEgress, { owner: one.proberId }));
      assert.equal((await verdict).body['status'], 'safe');
      await fixture.remove(`next-${status}`);
    });
  }

  test('a connection that breaks again and again loses nothing', async () => {
    const { account, client } = fixture;
    const proxy = await startProxy(fixture.url);
    const prober = await fixture.startProber('shaky', { url: proxy.url });
    await fixture.untilWell('shaky');
    const cutting = setInterval(proxy.cut, 400);
    try {
      const emails = Array.from({ length: 30 }, (_, n) => `m${n}@brisk.test`);
      const statuses = new Set<unknown>();
      for (let from = 0; from < emails.length; from += 6) {
        const some = emails.slice(from, from + 6).map((email) => client.verify(account.liveKey, email));
        for (const answer of await Promise.all(some)) statuses.add(answer.body['status']);
      }
      assert.deepEqual([...statuses], ['safe']);
    } finally {
      clearInterval(cutting);
      await prober.stop();
      await proxy.close();
      await fixture.remove('shaky');
    }
  });
});

const lies: Prober = {
  ask: ({ route }) => {
    const evidence: MailboxEvidence = {
      kind: 'answered',
      host: route.first.name,
      replies: [{ phase: 'rcpt', code: 550, enhanced: '5.1.1', text: 'No such user here' }],
      meaning: { label: 'mailbox_not_exist', reason: 'user_unknown' },
      catchAll: { kind: 'undetermined', meaning: undefined },
    };
    return Promise.resolve(evidence);
  },
};

describe('a prober whose control mailboxes come out wrong', () => {
  let fixture: ProberFixture;
  before(async () => {
    fixture = await openProberFixture({
      world,
      database: 'SQLite',
      providers: { providers: { 'brisk.test': { controls: ['alive@brisk.test'] } } },
      absentProber: true,
    });
  });
  after(() => fixture.close());

  test('is in quarantine before anything else was asked through it, and an honest one is asked instead', async () => {
    const { account, client } = fixture;
    const { token } = await fixture.invite('liar');
    const secret = makeProberSecret();
    const centre = new URL(`${fixture.url}/`);
    await enrolAt({ centre, secret, token, signal: never });
    const liar = runProber({
      source: createHttpsSource({
        centre,
        secret,
        instance: randomUUID(),
        version: '0',
        clock: systemClock,
        describe: () => ({ conversations: 0, resting: 0 }),
        onLearned: () => undefined,
        onEnd: () => undefined,
      }),
      prober: lies,
      clock: systemClock,
      egress: () => ['default'],
      onProblem: () => undefined,
    });
    try {
      const early = await client.verify(account.liveKey, 'm1@brisk.test');
      assert.equal(early.status, 502, JSON.stringify(early.body));
      await until(fixture.list, (all) => all.some(({ whyNot }) => whyNot === 'controls_wrong'));
      const refused = await client.verify(account.liveKey, 'm2@brisk.test');
      assert.deepEqual([refused.status, refused.creditsUsed], [502, '0']);
      await fixture.startProber('honest');
      await fixture.untilWell('honest');
      const right = await until(
        () => client.verify(account.liveKey, 'm3@brisk.test'),
        ({ status }) => status === 200,
      );
      assert.equal(right.body['status'], 'safe');
    } finally {
      await liar.stop();
    }
  });

  test('what it tells of domains is taken only while it is well, and forgotten in quarantine', async () => {
    const { store } = fixture;
    const one = await enrolByHand(fixture, 'sly');
    const learned = [{ kind: 'catch_all', key: 'brisk.test', value: 'yes', life_ms: 1_000_000 }];
    const report = (results: object[]) =>
      one.post('report', { instance: one.instance, results, learned, renew: [] });
    const remembered = async () =>
      (await store.read.all(findRemembered, { writer: `prober:${one.proberId}` })).map(({ value }) => value);
    const answerControls = async (living: object) => {
      const held: ControlProbe[] = [];
      await until(
        async () => held.push(...((await one.lease()).body['probes'] as ControlProbe[])),
        (count) => count >= 2,
      );
      const results = held.map(({ probe, lease, fence, question: { email } }) => ({
        probe,
        lease,
        fence,
        evidence: email.startsWith('alive@') ? living : no(email),
      }));
      assert.equal((await report(results)).status, 200);
    };

    await answerControls(yes('alive'));
    assert.deepEqual(await remembered(), [], 'it had not been checked yet');
    await fixture.untilWell('sly');
    await report([]);
    assert.deepEqual(await remembered(), ['"yes"']);
    await store.write((tx) => tx.change(makeControlsDue, { id: one.proberId }));
    await answerControls(no('alive'));
    await until(fixture.list, (all) =>
      all.some(({ name, whyNot }) => name === 'sly' && whyNot === 'controls_wrong'),
    );
    await report([]);
    assert.ok(!(await remembered()).includes('"yes"'));
    await fixture.remove('sly');
  });
});
