/** Probers outside that sleep, report rubbish, invent egress addresses or are removed. */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { egressFor } from '@mailproof/engine';
import type { WorldDescription } from '@mailproof/world';
import { statement } from '../../src/core/store/statement.ts';
import { readEgress } from '../../src/features/probers/egress-addresses.ts';
import { enrolByHand, leaseProbes, yes } from '../support/enrol-by-hand.ts';
import { openProberFixture, type ProberFixture } from '../support/open-prober-fixture.ts';
import { until } from '../support/until.ts';

const mailboxes = Object.fromEntries(Array.from({ length: 30 }, (_, n) => [`m${n}`, 'exists' as const]));
const world: WorldDescription = {
  zones: { 'brisk.test': { mx: [[10, 'mx.brisk.test']] } },
  hosts: { 'mx.brisk.test': { mailboxes } },
};

const findRemembered = statement((db, arg: { writer: string }) =>
  db.selectFrom('engine_memory').select('value').where('writer', '=', arg.writer),
);

/** A name whose egress address is asked before that of the other prober. */
function nameBefore(other: string): string {
  const isFirst = (name: string) =>
    egressFor({ group: 'brisk.test', spread: 1, mailbox: '' }, [`${name}/default`, `${other}/default`])[0] ===
    `${name}/default`;
  return Array.from({ length: 50 }, (_, n) => `sleeper${n}`).find(isFirst) ?? '';
}

describe('a centre that relies on no prober', () => {
  let fixture: ProberFixture;
  before(async () => {
    fixture = await openProberFixture({ world, database: 'SQLite', absentProber: true });
  });
  after(() => fixture.close());

  const stateOf = async (name: string) => {
    const found = (await fixture.list()).find((one) => one.name === name);
    return [found?.state, found?.whyNot];
  };

  test('a prober that leases and never reports: others are asked within the time of the caller, and it is put aside', async () => {
    const { account, client } = fixture;
    await fixture.startProber('honest');
    await fixture.untilWell('honest');
    const name = nameBefore('honest');
    const sleeper = await enrolByHand(fixture, name);
    await sleeper.lease({ wait_ms: 0 });
    await fixture.untilWell(name);
    const answers = Array.from({ length: 6 }, (_, n) => client.verify(account.liveKey, `m${n}@brisk.test`));
    const held = await leaseProbes(sleeper, answers);
    assert.equal(held.length, 6);
    for (const { status, body } of await Promise.all(answers))
      assert.deepEqual([status, body['status']], [200, 'safe'], JSON.stringify(body));
    await until(
      () => stateOf(name),
      ([state, whyNot]) => state === 'unwell' && whyNot === 'leases_lapsed',
    );
    assert.deepEqual((await sleeper.lease({ wait_ms: 0 })).body['probes'], []);
    const next = await client.verify(account.liveKey, 'm7@brisk.test');
    assert.deepEqual([next.status, next.body['status']], [200, 'safe']);
    await Promise.all([name, 'honest'].map(fixture.remove));
  });

  test('evidence that is none is never a 500: it is asked elsewhere, or 502; and the prober is put aside', async () => {
    const { account, client } = fixture;
    const babbler = await enrolByHand(fixture, 'babbler');
    await babbler.lease({ wait_ms: 0 });
    await fixture.untilWell('babbler');
    const rubbish = [
      null,
      { ...yes('x'), replies: [] },
      { ...yes('x'), host: 'no host at all' },
      { ...yes('x'), replies: [{ phase: 'rcpt', code: 999, text: 'ok' }] },
      { ...yes('x'), catch_all: { kind: 'yes', from: 'contrast' } },
    ];
    const answers = rubbish.map((_, n) => client.verify(account.liveKey, `m${10 + n}@brisk.test`));
    const held = await leaseProbes(babbler, answers);
    for (const [n, { probe, lease, fence }] of held.entries()) {
      const results = [{ probe, lease, fence, evidence: rubbish[n] }];
      const report = { instance: babbler.instance, results, learned: [], renew: [] };
      assert.equal((await babbler.post('report', report)).status, 200);
    }
    for (const { status, body } of await Promise.all(answers))
      assert.deepEqual([status, body['reason']], [502, 'verification_unavailable'], JSON.stringify(body));
    assert.deepEqual(await stateOf('babbler'), ['unwell', 'reports_unreadable']);
    await fixture.remove('babbler');
  });

  test('a prober gets probes for the egress addresses that the operator gave it, whatever it calls its own', async () => {
    const { account, client, store } = fixture;
    const one = await enrolByHand(fixture, 'greedy', { egress: ['first', 'second'], share: 40 });
    const egress = [...Array.from({ length: 254 }, (_, n) => `mine${n}`), 'first', 'default'];
    await one.lease({ wait_ms: 0, egress });
    const owned = (await readEgress(store.read)).filter(({ owner }) => owner === one.proberId);
    assert.deepEqual(
      owned.map(({ name, share }) => [name, share]),
      [['greedy/first', 40]],
    );
    const [listed] = (await fixture.list()).filter(({ name }) => name === 'greedy');
    assert.deepEqual([listed?.egress, listed?.share, listed?.ignored.length], [['first'], 40, 255]);
    await fixture.remove('greedy');

    const other = await enrolByHand(fixture, 'stranger', { egress: ['first'] });
    await other.lease({ wait_ms: 0 });
    assert.deepEqual(await stateOf('stranger'), ['unwell', 'egress_not_given']);
    const answer = await client.verify(account.liveKey, 'm20@brisk.test');
    assert.equal(answer.status, 502);
    await fixture.remove('stranger');
  });

  test('what a prober told of hosts and domains is forgotten when it is removed', async () => {
    const { account, client, store } = fixture;
    const one = await enrolByHand(fixture, 'teller');
    await one.lease({ wait_ms: 0 });
    await fixture.untilWell('teller');
    const answer = client.verify(account.liveKey, 'm21@brisk.test');
    const [held] = await leaseProbes(one, [answer]);
    assert.ok(held);
    const { probe, lease, fence } = held;
    await one.post('report', {
      instance: one.instance,
      results: [{ probe, lease, fence, evidence: yes('m21') }],
      learned: [
        { kind: 'host_traits', key: 'mx.brisk.test', value: { oneRecipient: true }, life_ms: 1_000_000 },
      ],
      renew: [],
    });
    await answer;
    const remembered = async () =>
      (await store.read.all(findRemembered, { writer: `prober:${one.proberId}` })).map(({ value }) => value);
    assert.deepEqual(await remembered(), ['{"oneRecipient":true}']);
    await fixture.remove('teller');
    assert.ok((await remembered()).every((value) => value === 'null'));
  });
});
