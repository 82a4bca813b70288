import assert from 'node:assert/strict';
import { describe, it, type TestContext } from 'node:test';
import { createPolicyBook, systemClock } from '@mailproof/engine';
import { databases, type TestDatabase } from '../../../test/support/databases.ts';
import { openProberFixture } from '../../../test/support/open-prober-fixture.ts';
import { until } from '../../../test/support/until.ts';
import { endRests, listRests } from '../operator/rests.ts';
import { createProbeExchange } from './probe-exchange.ts';
import { createProberCentre } from './prober-centre.ts';
import type { LeaseRequestMessage } from './prober-messages.ts';
import { addProber, makeProberSecret } from './prober-records.ts';

const hourMs = 3_600_000;
const rests = [
  { kind: 'closed' as const, egress: 'default', reason: 'listed by zen.spamhaus.org' },
  {
    kind: 'banned' as const,
    egress: 'default',
    group: 'google',
    reason: 'provider_bans_us',
    left_ms: hourMs,
  },
  { kind: 'blocked' as const, egress: 'default', reason: 'route_blocked', left_ms: hourMs },
];

async function setUp(t: TestContext, database: TestDatabase) {
  const { store, close } = await database.open();
  const wallClock = { now: () => 1_800_000_000_000 };
  const onProblem = (message: string) => assert.fail(message);
  const parts = { store, clock: systemClock, wallClock, onProblem, actor: 'command_line' as const };
  const exchange = createProbeExchange(parts);
  const controls = {
    checkIfDue: () => undefined,
    missing: () => undefined,
    count: () => undefined,
    stop: () => undefined,
  };
  const policies = createPolicyBook({ file: undefined, pacing: 'on' });
  const centre = createProberCentre({ ...parts, exchange, controls, policies });
  t.after(async () => {
    centre.close();
    exchange.close();
    await close();
  });
  const added = await addProber('far', parts);
  assert.ok(added.kind === 'added');
  const secret = makeProberSecret();
  await centre.enrol({ token: added.token, secret });
  const prober = await centre.authenticate(`Bearer ${secret}`);
  assert.ok(prober);
  const lease = async (protocol: number, more: Partial<LeaseRequestMessage> = {}) => {
    const said = { version: '1', places: 9, egress: ['default'], wait_ms: 0, conversations: 0, resting: 0 };
    const from = {
      prober,
      protocol,
      address: '192.0.2.9',
      signal: new AbortController().signal,
      isStillKnown: () => Promise.resolve(true),
    };
    const answer = await centre.lease({ instance: 'instance-one', ...said, ...more }, from);
    assert.ok(answer !== 'removed');
    return answer;
  };
  return { parts, lease, until: wallClock.now() + hourMs };
}

for (const database of databases)
  describe(`rests of a prober outside on ${database.name}`, () => {
    it('are listed, and end at the prober once: with its next lease after the operator said so', async (t) => {
      const { parts, lease, until: end } = await setUp(t, database);
      await lease(2, { rests });
      assert.deepEqual(await listRests(parts), [
        { kind: 'egress', name: 'far/default', until: undefined, reason: 'listed by zen.spamhaus.org' },
        { kind: 'provider', name: 'google', until: end, reason: 'provider_bans_us (far/default)' },
        { kind: 'route', name: 'far/default', until: end, reason: 'route_blocked' },
      ]);
      assert.equal((await lease(2, { rests })).end, undefined, 'nobody has ended them yet');

      await endRests({ name: 'google' }, parts);
      assert.equal((await lease(1)).end, undefined, 'an older prober is told nothing that it cannot read');
      const first = (await lease(2, { rests })).end ?? [];
      assert.deepEqual(
        first.map(({ kind, egress, group }) => [kind, egress, group]),
        [['banned', 'default', 'google']],
      );
      const again = await lease(2, { rests });
      assert.deepEqual(again.end, first, 'until it says that it has heard');
      const done = first.map(({ wish }) => wish);
      assert.equal((await lease(2, { rests, ended: done })).end, undefined);
      assert.equal((await lease(2, { rests })).end, undefined, 'after that it is forgotten');

      await endRests('all', parts);
      const all = (await lease(2, { rests })).end ?? [];
      assert.deepEqual(all.map(({ kind }) => kind).sort(), ['banned', 'blocked', 'closed']);
      await lease(2, { rests: [], ended: all.map(({ wish }) => wish) });
      assert.deepEqual(await listRests(parts), []);
    });
  });

const list = 'zen.spamhaus.org';
const ours = '192.0.2.25';

for (const database of ['SQLite', 'PostgreSQL'] as const)
  it(`an outside prober's listed address is opened from the centre, on ${database}`, async (t) => {
    const probers = await openProberFixture({
      database,
      world: {
        zones: { 'one.test': { mx: [[10, 'mx.plain.test']] } },
        hosts: { 'mx.plain.test': { mailboxes: { ada: 'exists' } } },
        blockLists: { [list]: [ours] },
      },
      absentProber: true,
    });
    t.after(() => probers.close());
    const { fixture, client, account } = probers;
    await probers.startProber('far', {
      providers: { routes: [{ id: 'default', kind: 'direct', publicAddresses: [ours] }] },
      env: { MAILPROOF_PACING: 'on', MAILPROOF_BLOCK_LISTS: list, MAILPROOF_RESOLVER_PROBES: 'none' },
    });
    const listed = { kind: 'egress', name: 'far/default', reason: `listed by ${list}`, until: null };
    await until(
      () => listRests({ store: probers.store, wallClock: Date }),
      (all) => all.length > 0,
    );
    assert.deepEqual(await fixture.command('rests'), listed);
    assert.equal((await client.verify(account.liveKey, 'ada@one.test')).status, 502);
    assert.deepEqual(await fixture.command('rests', 'end', 'far/default'), {
      kind: 'egress',
      name: 'far/default',
    });
    await probers.untilWell('far');
    assert.equal((await client.verify(account.liveKey, 'ada@one.test')).body['status'], 'safe');
  });
