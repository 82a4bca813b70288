import assert from 'node:assert/strict';
import { test } from 'node:test';
import { defaultLimits } from '../limits.ts';
import { host, patience } from '../../test/support/loopback-bench.ts';
import type { Lookup } from './lookup.ts';
import { ipv6AddressesOf, resolveHost } from './resolve-host.ts';

const name = host('mx.example.test');
const a: Lookup<string> = { kind: 'found', records: ['192.0.2.1'] };
const aaaa: Lookup<string> = { kind: 'found', records: ['2001:db8::1'] };
const none: Lookup<string> = { kind: 'no_data' };
const servfail: Lookup<string> = { kind: 'failed', failure: 'servfail' };

function setUp(ipv4: Lookup<string>, ipv6: Lookup<string>, reachesIpv6: boolean) {
  const asked: string[] = [];
  const answer = (type: string, lookup: Lookup<string>) => () => {
    asked.push(type);
    return Promise.resolve(lookup);
  };
  const resolver = { ipv4: answer('A', ipv4), ipv6: answer('AAAA', ipv6) };
  return { asked, parts: { resolver, limits: defaultLimits, reachesIpv6: () => reachesIpv6 } };
}

async function resolve(ipv4: Lookup<string>, ipv6: Lookup<string>, reachesIpv6: boolean) {
  const { asked, parts } = setUp(ipv4, ipv6, reachesIpv6);
  return { found: await resolveHost(name, parts, patience()), asked };
}

test('AAAA records are asked for only where there is no A record', async () => {
  for (const reachesIpv6 of [false, true]) {
    assert.deepEqual(await resolve(a, aaaa, reachesIpv6), {
      found: { kind: 'resolves', addresses: ['192.0.2.1'] },
      asked: ['A'],
    });
    assert.deepEqual(await resolve(none, aaaa, reachesIpv6), {
      found: { kind: 'resolves', addresses: ['2001:db8::1'] },
      asked: ['A', 'AAAA'],
    });
  }
});

test('the AAAA records beside A records are not asked for where nothing could leave over IPv6', async () => {
  for (const [reachesIpv6, found, types] of [
    [true, ['2001:db8::1'], ['AAAA']],
    [false, [], []],
  ] as const) {
    const { asked, parts } = setUp(a, aaaa, reachesIpv6);
    assert.deepEqual(await ipv6AddressesOf(name, parts, patience()), found);
    assert.deepEqual(asked, types);
  }
});

test('a lookup of AAAA records that fails adds no address', async () => {
  assert.deepEqual(await ipv6AddressesOf(name, setUp(a, servfail, true).parts, patience()), []);
});

test('a host is absent only where both answers say so, and failed where one of them failed', async () => {
  const unknown: Lookup<string> = { kind: 'no_such_name' };
  for (const [ipv4, ipv6, found] of [
    [none, none, { kind: 'absent', unknownName: false }],
    [unknown, none, { kind: 'absent', unknownName: true }],
    [none, unknown, { kind: 'absent', unknownName: true }],
    [servfail, none, { kind: 'failed', failure: 'servfail' }],
    [none, servfail, { kind: 'failed', failure: 'servfail' }],
    [unknown, servfail, { kind: 'failed', failure: 'servfail' }],
    [servfail, { kind: 'failed', failure: 'silence' }, { kind: 'failed', failure: 'servfail' }],
  ] as const)
    assert.deepEqual((await resolve(ipv4, ipv6, true)).found, found);
});

test('a host is the same with and without a way out over IPv6 where it has no A record', async () => {
  for (const [ipv4, ipv6] of [
    [none, aaaa],
    [servfail, aaaa],
    [none, none],
    [servfail, none],
    [{ kind: 'no_such_name' }, none],
  ] as const)
    assert.deepEqual(await resolve(ipv4, ipv6, false), await resolve(ipv4, ipv6, true));
});
