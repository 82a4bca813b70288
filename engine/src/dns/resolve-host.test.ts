import assert from 'node:assert/strict';
import { test } from 'node:test';
import { defaultLimits } from '../limits.ts';
import { host, patience } from '../../test/support/loopback-bench.ts';
import type { Lookup } from './lookup.ts';
import { resolveHost } from './resolve-host.ts';

const name = host('mx.example.test');
const a: Lookup<string> = { kind: 'found', records: ['192.0.2.1'] };
const aaaa: Lookup<string> = { kind: 'found', records: ['2001:db8::1'] };
const none: Lookup<string> = { kind: 'no_data' };
const servfail: Lookup<string> = { kind: 'failed', failure: 'servfail' };

async function resolve(ipv4: Lookup<string>, ipv6: Lookup<string>, reachesIpv6: boolean) {
  const asked: string[] = [];
  const answer = (type: string, lookup: Lookup<string>) => () => {
    asked.push(type);
    return Promise.resolve(lookup);
  };
  const resolver = { ipv4: answer('A', ipv4), ipv6: answer('AAAA', ipv6) };
  const parts = { resolver, limits: defaultLimits, reachesIpv6: () => reachesIpv6 };
  return { found: await resolveHost(name, parts, patience()), asked };
}

test('where nothing could leave over IPv6, AAAA records are asked for only where there is no A record', async () => {
  assert.deepEqual(await resolve(a, aaaa, false), {
    found: { kind: 'resolves', addresses: ['192.0.2.1'] },
    asked: ['A'],
  });
  assert.deepEqual(await resolve(a, aaaa, true), {
    found: { kind: 'resolves', addresses: ['192.0.2.1', '2001:db8::1'] },
    asked: ['A', 'AAAA'],
  });
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
