import assert from 'node:assert/strict';
import { after, describe, test } from 'node:test';
import { encode } from 'dns-packet';
import { host, loopbackBench, patience } from '../../test/support/loopback-bench.ts';
import { rcodes, type Zone, type ZoneEntry } from '../../test/support/loopback-dns.ts';
import {
  domain,
  refuses,
  routeIn as routeOf,
  takes,
  undetermined,
  up,
} from '../../test/support/loopback-routes.ts';
import { defaultLimits } from '../limits.ts';
import type { Lookup } from './lookup.ts';
import { ipv6AddressesOf, resolveHost, type MailRoute } from './mail-route.ts';

const bench = loopbackBench();
after(() => bench.close());
const routeIn = (zone: Zone, options?: Parameters<typeof routeOf>[2]) => routeOf(bench, zone, options);

describe('the mail route of a domain', () => {
  const implicit: MailRoute = {
    kind: 'takes_mail',
    implicit: true,
    mxRecords: [domain],
    preferred: 1,
    first: { name: domain, addresses: ['192.0.2.1'] },
    further: [],
  };
  const servfail = { rcode: rcodes.servfail };
  const table: [string, Zone, MailRoute][] = [
    [
      'MX in order of preference',
      mxZone([20, 'b.test'], [10, 'c.test'], [30, 'a.test']),
      takes(['c.test', 'b.test', 'a.test']),
    ],
    [
      'equal preferences go by alphabet',
      mxZone([10, 'b.test'], [10, 'a.test'], [5, 'z.test']),
      takes(['z.test', 'a.test', 'b.test']),
    ],
    [
      'a host named twice counts once, at its best',
      mxZone([20, 'a.test'], [10, 'b.test'], [5, 'A.Test']),
      takes(['a.test', 'b.test']),
    ],
    ['a lone "." is a null MX (RFC 7505)', mxZone([0, '.']), refuses('null_mx')],
    ['a null MX of any preference', mxZone([10, '.']), refuses('null_mx')],
    ['a "." among others is passed over', mxZone([0, '.'], [10, 'a.test']), takes(['a.test'])],
    ['several "." and nothing else', mxZone([0, '.'], [1, '.']), refuses('no_mail_host_resolves')],
    ['no MX: the domain itself (RFC 5321 5.1)', { 'example.test': up }, implicit],
    ['no MX, no address', { 'example.test': { txt: ['x'] } }, refuses('no_mail_host')],
    [
      'no MX, and an address that cannot be found out',
      { 'example.test': { rcode: { AAAA: rcodes.servfail } } },
      undetermined('servfail'),
    ],
    [
      'no MX, one address found and the other not',
      { 'example.test': { ...up, rcode: { AAAA: rcodes.servfail } } },
      implicit,
    ],
    [
      'no MX, and then no such name: a contradiction',
      { 'example.test': { rcode: { A: rcodes.nxdomain } } },
      undetermined('malformed'),
    ],
    [
      'no such name for MX, yet an address',
      { 'example.test': { ...up, rcode: { MX: rcodes.nxdomain } } },
      undetermined('malformed'),
    ],
    [
      'no such name for MX, yet the name exists',
      { 'example.test': { rcode: { MX: rcodes.nxdomain } } },
      undetermined('malformed'),
    ],
    [
      'no such name, and no second answer',
      { 'example.test': { rcode: { MX: rcodes.nxdomain, A: rcodes.servfail } } },
      undetermined('servfail'),
    ],
    ['no such name, twice', {}, refuses('no_such_domain')],
    [
      'MX behind an alias',
      { 'example.test': { cname: 'b.test' }, 'b.test': { mx: [[1, 'a.test']] }, 'a.test': up },
      takes(['a.test']),
    ],
    [
      'a mail host that is an alias',
      { 'example.test': { mx: [[1, 'a.test']] }, 'a.test': { cname: 'b.test' }, 'b.test': up },
      takes(['a.test']),
    ],
    ['SERVFAIL', { 'example.test': servfail }, undetermined('servfail')],
    ['REFUSED', { 'example.test': { rcode: rcodes.refused } }, undetermined('refused')],
    ['an odd code', { 'example.test': { rcode: 9 } }, undetermined('other_rcode')],
    ['an alias of itself', { 'example.test': { cname: 'example.test' } }, undetermined('malformed')],
    [
      'a mail host that does not exist',
      { 'example.test': { mx: [[1, 'gone.test']] } },
      refuses('no_mail_host_resolves'),
    ],
    [
      'a mail host without an address',
      { 'example.test': { mx: [[1, 'a.test']] }, 'a.test': {} },
      refuses('no_mail_host_resolves'),
    ],
    [
      'one gone, one that fails',
      {
        'example.test': {
          mx: [
            [1, 'gone.test'],
            [2, 'a.test'],
          ],
        },
        'a.test': servfail,
      },
      undetermined('servfail'),
    ],
    [
      'the best one fails, the next resolves',
      { ...mxZone([1, 'a.test'], [2, 'b.test']), 'a.test': servfail },
      { ...takes(['b.test']), mxRecords: [host('a.test'), host('b.test')] },
    ],
    ['an IP address for a name', mxZone([10, '192.0.2.1']), refuses('no_mail_host_resolves')],
    ['localhost', mxZone([10, 'localhost']), refuses('no_mail_host_resolves')],
    ['a name under localhost', mxZone([10, 'mail.localhost']), refuses('no_mail_host_resolves')],
    ['a single label', mxZone([10, 'mail']), refuses('no_mail_host_resolves')],
    [
      'invalid names are passed over',
      mxZone([1, '192.0.2.1'], [2, 'localhost'], [3, 'a b.test'], [4, 'a.test']),
      takes(['a.test']),
    ],
    ['a mail host with an underscore is asked for', mxZone([10, '_dc-mx.a.test']), takes(['_dc-mx.a.test'])],
    [
      'one that does not exist is as good as any other',
      { 'example.test': { mx: [[10, '_dc-mx.a.test']] } },
      refuses('no_mail_host_resolves'),
    ],
    ['a name we cannot ask about is no proof', mxZone([10, '-mx.a.test']), undetermined('malformed')],
    ['… and does not stand in the way', mxZone([10, '-mx.a.test'], [20, 'a.test']), takes(['a.test'])],
  ];
  for (const [title, zone, expected] of table) {
    test(`${title}: ${expected.kind === 'refuses_mail' ? expected.why : expected.kind}`, async () => {
      const { route } = await routeIn(zone);
      assert.deepEqual(route, expected);
    });
  }

  /** MX of the domain, and an address for every host that can have one. */
  function mxZone(...mx: [number, string][]): Zone {
    const zone: Zone = { 'example.test': { mx } };
    for (const [, name] of mx) zone[name.toLowerCase()] ??= up;
    return zone;
  }
});

describe('the hosts of a route', () => {
  test('IPv4 alone where there is any, each address once', async () => {
    const { route } = await routeIn({
      'example.test': { mx: [[1, 'a.test']] },
      'a.test': { a: ['192.0.2.1', '192.0.2.2', '192.0.2.1'], aaaa: ['2001:db8::1'] },
    });
    assert.equal(route.kind, 'takes_mail');
    assert.deepEqual(route.first.addresses, ['192.0.2.1', '192.0.2.2']);
  });

  const halves: [string, ZoneEntry, string[]][] = [
    ['A found, AAAA fails', { a: ['192.0.2.1'], rcode: { AAAA: rcodes.servfail } }, ['192.0.2.1']],
    ['AAAA found, A fails', { aaaa: ['2001:db8::1'], rcode: { A: rcodes.refused } }, ['2001:db8::1']],
    [
      'AAAA found, A says no such name',
      { aaaa: ['2001:db8::1'], rcode: { A: rcodes.nxdomain } },
      ['2001:db8::1'],
    ],
  ];
  for (const [title, entry, addresses] of halves) {
    test(`${title}: the records found are used`, async () => {
      const { route } = await routeIn({
        'example.test': { mx: [[1, 'a.test']] },
        'a.test': entry,
      });
      assert.equal(route.kind, 'takes_mail');
      assert.deepEqual(route.first.addresses, addresses);
    });
  }

  test('one empty and the other failed is a failure', async () => {
    const { route } = await routeIn({
      'example.test': { mx: [[1, 'a.test']] },
      'a.test': { rcode: { A: rcodes.refused } },
    });
    assert.deepEqual(route, undetermined('refused'));
  });

  test('a first verification costs two round trips: MX, then A', async () => {
    // Each answer waits until no further query comes, so a batch is a set of questions without an answer in
    // between.
    const batches: string[][] = [];
    let batch: string[] | undefined;
    const { route } = await routeIn(
      { 'example.test': { mx: [[1, 'a.test']] }, 'a.test': up },
      {
        mischief: async ({ query, reply }) => {
          if (batch === undefined) batches.push((batch = []));
          batch.push(query.type);
          await new Promise((resolve) => setTimeout(resolve, 100));
          batch = undefined;
          return [encode(reply)];
        },
      },
    );
    assert.equal(route.kind, 'takes_mail');
    assert.deepEqual(
      batches.map((types) => types.sort()),
      [['MX'], ['A']],
    );
  });

  test('further names are not resolved before they are needed', async () => {
    const { dns } = await routeIn({
      'example.test': {
        mx: [
          [1, 'a.test'],
          [2, 'b.test'],
        ],
      },
      'a.test': up,
      'b.test': up,
    });
    assert.deepEqual(
      dns.queries.map(({ name }) => name),
      ['example.test', 'a.test'],
    );
  });
});

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
