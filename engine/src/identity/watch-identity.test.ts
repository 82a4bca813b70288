import assert from 'node:assert/strict';
import { setImmediate as turn } from 'node:timers/promises';
import { test } from 'node:test';
import { createTestClock } from '../../test/support/test-clock.ts';
import type { Lookup } from '../dns/lookup.ts';
import type { MailRoute } from '../dns/mail-route.ts';
import { defaultLimits } from '../limits.ts';
import type { RouteSetting } from '../politeness/policy.ts';
import { watchIdentity, type IdentityWatch } from './watch-identity.ts';

const noData: Lookup<string> = { kind: 'no_data' };
const failed: Lookup<string> = { kind: 'failed', failure: 'silence' };
const found = (...records: string[]): Lookup<string> => ({ kind: 'found', records });
const refuses: MailRoute = { kind: 'refuses_mail', why: 'null_mx' };
const undetermined: MailRoute = { kind: 'undetermined', failure: 'servfail' };

/** A machine and the DNS around it; parts that are not given are in order. */
type Fixture = {
  heloName?: string;
  routes?: RouteSetting[];
  stated?: string[];
  leavesFrom?: { 4?: string; 6?: string };
  a?: Lookup<string>;
  aaaa?: Lookup<string>;
  sender?: MailRoute;
};

// Only the kind of the route matters here.
const takes = { kind: 'takes_mail' } as MailRoute;

function begin(fixture: Fixture) {
  const now = { ...fixture };
  const told: string[] = [];
  const clock = createTestClock();
  const watch = watchIdentity({
    routes: fixture.routes ?? [{ id: 'default', kind: 'direct' }],
    defaults: { heloName: fixture.heloName ?? 'probe.example.com', mailFrom: 'verify@example.com' },
    publicAddresses: fixture.stated ?? [],
    resolver: {
      ipv4: () => Promise.resolve(now.a ?? noData),
      ipv6: () => Promise.resolve(now.aaaa ?? noData),
    },
    findMailRoute: () => Promise.resolve(now.sender ?? takes),
    clock,
    limits: defaultLimits,
    leavesFrom: (family) => Promise.resolve((fixture.leavesFrom ?? { 4: '9.9.9.7' })[family]),
    onProblem: (message) => void told.push(message),
  });
  return { watch, told, clock, now };
}

async function checked(watch: IdentityWatch, family: 4 | 6 = 4, route = 'default') {
  watch.begin([route]);
  for (let turns = 0; turns < 5; turns += 1) await turn();
  return watch.of(route, family);
}

test('a name that resolves to the address mail hosts see is proven, and nothing is reported', async () => {
  const { watch, told } = begin({ a: found('9.9.9.1', '9.9.9.7') });
  assert.equal(watch.of('default', 4), 'checking');
  assert.equal(await checked(watch), 'proven');
  assert.deepEqual([told, watch.problem('default')], [[], undefined]);
});

for (const [what, fixture, says] of [
  [
    'a name that no other machine can look up',
    { heloName: 'vm.localdomain' },
    /vm\.localdomain is not a name.*MAILPROOF_HELO_NAME/,
  ],
  ['a name without an address', { a: noData }, /has no IPv4 address in DNS.*9\.9\.9\.7/],
  [
    'a name that leads elsewhere',
    { a: found('9.9.9.8') },
    /resolves to 9\.9\.9\.8, and mail hosts see us come from 9\.9\.9\.7/,
  ],
  [
    'a sender domain that takes no mail',
    { a: found('9.9.9.7'), sender: refuses },
    /null MX.*MAILPROOF_MAIL_FROM/,
  ],
  [
    'a name behind NAT that leads into a private network',
    { leavesFrom: { 4: '10.0.0.7' }, a: found('10.0.0.7') },
    /10\.0\.0\.7, which is not public/,
  ],
] as [string, Fixture, RegExp][])
  test(`${what} is told once with what to set, and mail hosts are not asked`, async () => {
    const { watch, told, clock } = begin(fixture);
    assert.equal(await checked(watch), 'unproven');
    clock.advance(defaultLimits.identityAgainMs);
    assert.equal(await checked(watch), 'unproven');
    assert.equal(told.length, 1);
    assert.match(told[0] ?? '', says);
    assert.match(told[0] ?? '', /^public mail hosts are not asked: .*MAILPROOF_IDENTITY_CHECK=off/);
  });

test('behind NAT a public address of the name will do, and it is said that nothing was compared', async () => {
  const { watch } = begin({ leavesFrom: { 4: '10.0.0.7' }, a: found('9.9.9.7') });
  assert.equal(await checked(watch), 'proven');
  assert.match(watch.state()[0]?.note ?? '', /MAILPROOF_PUBLIC_ADDRESS/);
});

test('behind NAT the stated address decides', async () => {
  const fixture = { leavesFrom: { 4: '10.0.0.7' }, stated: ['9.9.9.8'] };
  assert.equal(await checked(begin({ ...fixture, a: found('9.9.9.8') }).watch), 'proven');
  assert.equal(await checked(begin({ ...fixture, a: found('9.9.9.7') }).watch), 'unproven');
});

test('every address that mail hosts may see has to be one of the name', async () => {
  const fixture = { leavesFrom: { 4: '10.0.0.7' }, stated: ['9.9.9.7', '9.9.9.8'] };
  assert.equal(await checked(begin({ ...fixture, a: found('9.9.9.8', '9.9.9.7') }).watch), 'proven');
  const { watch, told } = begin({ ...fixture, a: found('9.9.9.7') });
  assert.equal(await checked(watch), 'unproven');
  assert.match(told[0] ?? '', /Add 9\.9\.9\.8 to the A records/);
});

test('each family is proven by itself, and one that is not does not stop the other', async () => {
  const leavesFrom = { 4: '9.9.9.7', 6: '2620:fe::7' };
  const { watch, told } = begin({ leavesFrom, a: found('9.9.9.7') });
  assert.deepEqual([await checked(watch, 4), await checked(watch, 6)], ['proven', 'unproven']);
  assert.deepEqual([told, watch.problem('default')], [[], undefined]);
  assert.match(watch.state()[0]?.problem ?? '', /2620:fe::7 to the AAAA records/);
  const both = begin({ leavesFrom, a: found('9.9.9.7'), aaaa: found('2620:fe:0::7') });
  assert.equal(await checked(both.watch, 6), 'proven');
});

test('a lookup that fails proves nothing: a proven route stays so for a day, an unproven one waits', async () => {
  const { watch, clock, now } = begin({ a: failed });
  assert.equal(await checked(watch), 'unproven');
  assert.match(watch.problem('default') ?? '', /could not be looked up/);
  now.a = found('9.9.9.7');
  clock.advance(defaultLimits.identityAgainMs);
  assert.equal(await checked(watch), 'proven');
  now.a = failed;
  now.sender = undetermined;
  clock.advance(defaultLimits.identityEveryMs);
  assert.equal(await checked(watch), 'proven');
  for (let hour = 0; hour < 24; hour += 1) {
    clock.advance(defaultLimits.identityEveryMs);
    await checked(watch);
  }
  assert.equal(await checked(watch), 'unproven');
});

test('a repair is noticed within a minute, and reported', async () => {
  const { watch, told, clock, now } = begin({ a: noData });
  const changes: string[] = [];
  watch.onChange(() => void changes.push(watch.of('default', 4)));
  await checked(watch);
  now.a = found('9.9.9.7');
  clock.advance(defaultLimits.identityAgainMs);
  assert.equal(await checked(watch), 'proven');
  assert.deepEqual(changes, ['unproven', 'proven']);
  assert.match(told[1] ?? '', /^public mail hosts are asked again/);
});

test('each route has a name, a sender and an address of its own', async () => {
  const { watch, told } = begin({
    routes: [
      { id: 'good', kind: 'direct', localAddress: '9.9.9.1' },
      { id: 'bad', kind: 'direct', localAddress: '9.9.9.2' },
    ],
    a: found('9.9.9.1'),
  });
  assert.equal(await checked(watch, 4, 'good'), 'proven');
  assert.equal(await checked(watch, 4, 'bad'), 'unproven');
  assert.match(told.join('\n'), /^public mail hosts are not asked from egress route bad: /);
});

test('nothing is looked up before a route is asked about, and nothing after the end', async () => {
  const { watch, clock } = begin({ a: found('9.9.9.7') });
  await turn();
  assert.equal(clock.timers(), 0);
  await checked(watch);
  assert.equal(clock.timers(), 1);
  watch.stop();
  assert.equal(clock.timers(), 0);
});
