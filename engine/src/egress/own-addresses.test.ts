import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseCidr } from '../ip-address.ts';
import type { RouteSetting } from '../politeness/policy.ts';
import { seenAddresses, createReachesIpv6, type LeavesFrom } from './own-addresses.ts';

const direct: RouteSetting = { id: 'default', kind: 'direct' };
const proxy: RouteSetting = { id: 'tunnel', kind: 'socks5', socks5: { host: '192.0.2.9', port: 1080 } };
const behindNat: LeavesFrom = (family) => Promise.resolve(family === 4 ? '10.0.0.7' : undefined);
const inTheOpen: LeavesFrom = (family) => Promise.resolve(family === 4 ? '9.9.9.7' : '2620:fe::7');

test('a public address that the system leaves from is what mail hosts see', async () => {
  assert.deepEqual(await seenAddresses(direct, { stated: [], leavesFrom: inTheOpen }), [
    '9.9.9.7',
    '2620:fe::7',
  ]);
});

test('behind NAT the stated address of the same family is seen, and without one it is unknown', async () => {
  const stated = ['9.9.9.8', '2620:fe::8'];
  assert.deepEqual(await seenAddresses(direct, { stated, leavesFrom: behindNat }), stated);
  assert.deepEqual(await seenAddresses(direct, { stated: [], leavesFrom: behindNat }), []);
});

test('a stated address hides no public one of this machine', async () => {
  const seen = await seenAddresses(direct, { stated: ['9.9.9.8'], leavesFrom: inTheOpen });
  assert.deepEqual(seen, ['9.9.9.7', '2620:fe::7']);
});

test("a route's own local address counts, and what the route states outranks it", async () => {
  const stated = ['9.9.9.8'];
  assert.deepEqual(await seenAddresses({ ...direct, localAddress: '9.9.9.1' }, { stated }), ['9.9.9.1']);
  assert.deepEqual(await seenAddresses({ ...direct, localAddress: '10.0.0.8' }, { stated }), ['9.9.9.8']);
  const route = { ...direct, localAddress: '10.0.0.8', publicAddresses: ['9.9.9.2'] };
  assert.deepEqual(await seenAddresses(route, { stated }), ['9.9.9.2']);
});

test('behind a proxy only what the route states is known', async () => {
  assert.deepEqual(await seenAddresses(proxy, { stated: ['9.9.9.8'], leavesFrom: inTheOpen }), []);
  assert.deepEqual(await seenAddresses({ ...proxy, publicAddresses: ['9.9.9.3'] }, { stated: [] }), [
    '9.9.9.3',
  ]);
});

test('the system is asked for its way out without a packet or an error', async () => {
  const seen = await seenAddresses(direct, { stated: [] });
  assert.ok(Array.isArray(seen));
});

type Parts = Parameters<typeof createReachesIpv6>[0];

function reaches(own: string[], parts: Partial<Parts> = {}): boolean {
  return createReachesIpv6({
    routes: [],
    allow: [],
    ownAddresses: () => own,
    mayAskElsewhere: () => false,
    ...parts,
  })();
}

const privateOnly = ['127.0.0.1', '198.51.100.7', '::1', 'fe80::1', 'fd00::2'];

test('a public IPv6 address of this machine is a way out, and nothing less is', () => {
  assert.equal(reaches(privateOnly), false);
  assert.equal(reaches([...privateOnly, '2a00:1450::1']), true);
});

test("the operator's settings for IPv6 count, and so does a prober that may have IPv6", () => {
  const socks5 = { host: '127.0.0.1', port: 1080 };
  const loopback = ['127.0.0.0/8', '::1/128'].map((block) => parseCidr(block)!);
  assert.equal(reaches(privateOnly, { allow: loopback.slice(0, 1) }), false);
  assert.equal(reaches(privateOnly, { allow: loopback }), true);
  assert.equal(reaches(privateOnly, { routes: [{ id: 'one', kind: 'direct' }] }), false);
  assert.equal(
    reaches(privateOnly, { routes: [{ id: 'one', kind: 'direct', localAddress: 'fd00::2' }] }),
    true,
  );
  assert.equal(reaches(privateOnly, { routes: [{ id: 'one', kind: 'socks5', socks5 }] }), true);
  assert.equal(reaches(privateOnly, { mayAskElsewhere: () => true }), true);
});

test('an address that comes later is seen', () => {
  let own = privateOnly;
  const isReached = createReachesIpv6({
    routes: [],
    allow: [],
    ownAddresses: () => own,
    mayAskElsewhere: () => false,
  });
  assert.equal(isReached(), false);
  own = ['2a00:1450::1'];
  assert.equal(isReached(), true);
});
