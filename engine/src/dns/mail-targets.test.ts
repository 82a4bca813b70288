import assert from 'node:assert/strict';
import { after, describe, test } from 'node:test';
import { encode } from 'dns-packet';
import { systemClock } from '../clock.ts';
import { defaultLimits } from '../limits.ts';
import { findMailRoute, type MailTarget } from './mail-route.ts';
import { hasty, host, loopbackBench, patience, within } from '../../test/support/loopback-bench.ts';
import { rcodes } from '../../test/support/loopback-dns.ts';
import type { LoopbackDns, Zone } from '../../test/support/loopback-dns.ts';
import { mailTargets } from './mail-targets.ts';

const bench = loopbackBench();
after(() => bench.close());

const domain = host('example.test');

/** The targets of `example.test`, all of them or the first `most`, as `host address`. */
async function targetsOf(dns: LoopbackDns, most = Infinity, reachesIpv6 = () => true): Promise<string[]> {
  const limits = defaultLimits;
  const parts = { resolver: bench.resolver([dns], limits), clock: systemClock, limits, reachesIpv6 };
  const route = await findMailRoute(domain, parts, patience());
  assert.equal(route.kind, 'takes_mail');
  const targets: MailTarget[] = [];
  for await (const target of mailTargets(route, parts, patience())) {
    targets.push(target);
    if (targets.length >= most) break;
  }
  return targets.map(({ host: name, address }) => `${name} ${address}`);
}

/** MX of the domain to these hosts, in this order. */
function hosts(entries: Zone): Zone {
  return { 'example.test': { mx: Object.keys(entries).map((name, index) => [index, name]) }, ...entries };
}

const v4 = (net: number, size: number) =>
  Array.from({ length: size }, (_, index) => `192.0.${net}.${index + 1}`);

describe('the places to dial', () => {
  test('two of a host, IPv4 first, then the next host; the remaining ones come last', async () => {
    const dns = await bench.server(
      hosts({ 'a.test': { a: v4(2, 3), aaaa: ['2001:db8::1'] }, 'b.test': { a: v4(3, 1) } }),
    );
    assert.deepEqual(await targetsOf(dns), [
      'a.test 192.0.2.1',
      'a.test 192.0.2.2',
      'b.test 192.0.3.1',
      'a.test 192.0.2.3',
      'a.test 2001:db8::1',
    ]);
  });

  test('a host with one IPv4 address gives it and one of IPv6 before the next host', async () => {
    const dns = await bench.server(
      hosts({
        'a.test': { a: v4(2, 1), aaaa: ['2001:db8::1', '2001:db8::2'] },
        'b.test': { a: v4(3, 1), aaaa: ['2001:db8::3'] },
      }),
    );
    assert.deepEqual(await targetsOf(dns), [
      'a.test 192.0.2.1',
      'a.test 2001:db8::1',
      'b.test 192.0.3.1',
      'b.test 2001:db8::3',
      'a.test 2001:db8::2',
    ]);
  });

  test('AAAA records are asked for when the IPv4 addresses are used up, and once', async () => {
    const dns = await bench.server(hosts({ 'a.test': { a: v4(2, 1), aaaa: ['2001:db8::1'] } }));
    const ofIpv6 = () => dns.queries.filter(({ type }) => type === 'AAAA').length;
    assert.deepEqual(await targetsOf(dns, 1), ['a.test 192.0.2.1']);
    assert.equal(ofIpv6(), 0);
    assert.deepEqual(await targetsOf(dns), ['a.test 192.0.2.1', 'a.test 2001:db8::1']);
    assert.equal(ofIpv6(), 1);
  });

  test('no AAAA record beside an A record is asked for where nothing could leave over IPv6', async () => {
    const dns = await bench.server(
      hosts({ 'a.test': { a: v4(2, 1), aaaa: ['2001:db8::1'] }, 'b.test': { aaaa: ['2001:db8::2'] } }),
    );
    assert.deepEqual(await targetsOf(dns, Infinity, () => false), ['a.test 192.0.2.1', 'b.test 2001:db8::2']);
    assert.deepEqual(
      dns.queries.filter(({ type }) => type === 'AAAA').map(({ name }) => name),
      ['b.test'],
    );
  });

  test('a host without IPv4 addresses is asked for its AAAA records once', async () => {
    const dns = await bench.server(hosts({ 'a.test': { aaaa: ['2001:db8::1'] } }));
    assert.deepEqual(await targetsOf(dns), ['a.test 2001:db8::1']);
    assert.deepEqual(
      dns.queries.map(({ type }) => type),
      ['MX', 'A', 'AAAA'],
    );
  });

  test('a lone host gives up to mailAddresses of its own', async () => {
    const dns = await bench.server(hosts({ 'a.test': { a: v4(2, 9) } }));
    assert.deepEqual(
      await targetsOf(dns),
      v4(2, defaultLimits.mailAddresses).map((address) => `a.test ${address}`),
    );
  });

  test('never more than mailAddresses in all', async () => {
    const entries = Object.fromEntries(
      v4(2, 5).map((_, index) => [`h${index}.test`, { a: v4(index + 3, 4) }]),
    );
    assert.equal((await targetsOf(await bench.server(hosts(entries)))).length, defaultLimits.mailAddresses);
  });

  test('further names are resolved only when they are asked for', async () => {
    const dns = await bench.server(
      hosts({ 'a.test': { a: v4(2, 2) }, 'b.test': { a: v4(3, 1) }, 'c.test': { a: v4(4, 1) } }),
    );
    await targetsOf(dns, 2);
    assert.ok(!dns.queries.some(({ name }) => name === 'b.test'));
    await targetsOf(dns, 3);
    assert.ok(dns.queries.some(({ name }) => name === 'b.test'));
    assert.ok(!dns.queries.some(({ name }) => name === 'c.test'));
  });

  test('a further host that is gone or fails is passed over', async () => {
    const dns = await bench.server({
      ...hosts({
        'a.test': { a: v4(2, 1) },
        'b.test': { rcode: rcodes.servfail },
        'c.test': {},
        'd.test': { a: v4(3, 1) },
      }),
    });
    assert.deepEqual(await targetsOf(dns), ['a.test 192.0.2.1', 'd.test 192.0.3.1']);
  });

  test('two names of one machine are one place', async () => {
    const dns = await bench.server(hosts({ 'a.test': { a: v4(2, 1) }, 'b.test': { a: v4(2, 1) } }));
    assert.deepEqual(await targetsOf(dns), ['a.test 192.0.2.1']);
  });

  test('mailHostLookups counts the names that were tried before the first host was found', async () => {
    const names = Array.from({ length: 8 }, (_, index) => `h${index}.test`);
    const entries: Zone = Object.fromEntries(names.map((name) => [name, {}]));
    entries['h2.test'] = { a: v4(2, 1) };
    entries['h7.test'] = { a: v4(3, 1) };
    const dns = await bench.server(hosts(entries));
    assert.deepEqual(await targetsOf(dns), ['h2.test 192.0.2.1']);
    const asked = new Set(dns.queries.map(({ name }) => name));
    assert.deepEqual([...asked], ['example.test', ...names.slice(0, defaultLimits.mailHostLookups)]);
    assert.equal(dns.queries.length, 11);
  });

  test('the deadline holds while further hosts are silent', async () => {
    const dns = await bench.server(
      hosts({ 'a.test': { a: v4(2, 1) }, 'b.test': {}, 'c.test': {} }),
      ({ query, reply }) => (query.name === 'b.test' || query.name === 'c.test' ? [] : [encode(reply)]),
    );
    const limits = { ...defaultLimits, ...hasty, dnsLookupMs: 5_000 };
    const parts = { resolver: bench.resolver([dns], limits), clock: systemClock, limits };
    const route = await findMailRoute(domain, parts, patience());
    assert.equal(route.kind, 'takes_mail');
    const all = Array.fromAsync(mailTargets(route, parts, patience(300)));
    assert.equal((await within(300, all)).length, 1);
  });

  test('an abort is rejected with its reason', async () => {
    const abort = new AbortController();
    const reason = new Error('enough');
    const dns = await bench.server(hosts({ 'a.test': { a: v4(2, 1) }, 'b.test': {} }), ({ query, reply }) => {
      if (query.name === 'b.test') abort.abort(reason);
      return query.name === 'b.test' ? [] : [encode(reply)];
    });
    const parts = { resolver: bench.resolver([dns]), clock: systemClock, limits: defaultLimits };
    const route = await findMailRoute(domain, parts, patience());
    assert.equal(route.kind, 'takes_mail');
    await assert.rejects(Array.fromAsync(mailTargets(route, parts, patience(10_000, abort.signal))), reason);
  });
});

describe('rebinding', () => {
  test('each host is resolved once, and what it resolved to then is what is dialled', async () => {
    let flips = 0;
    // Every query for an address gets another answer that may not be kept; some mix good and bad.
    const dns = await bench.server(
      hosts({ 'a.test': { a: ['192.0.2.1'] }, 'b.test': { a: ['192.0.2.1'] } }),
      ({ query, reply }) => {
        if (query.type === 'MX') return [encode(reply)];
        flips += 1;
        const name = query.name;
        const data = [`198.51.100.${flips % 250}`, ...(flips % 5 === 0 ? ['127.0.0.1'] : [])];
        const answers = data.map((one) => ({ name, type: 'A' as const, ttl: 0, data: one }));
        return [encode({ ...reply, answers: query.type === 'A' ? answers : [] })];
      },
    );
    const parts = { resolver: bench.resolver([dns]), clock: systemClock, limits: defaultLimits };
    for (let round = 0; round < 100; round += 1) {
      dns.queries.length = 0;
      const route = await findMailRoute(domain, parts, patience());
      assert.equal(route.kind, 'takes_mail');
      const targets = await Array.fromAsync(mailTargets(route, parts, patience()));
      const ofFirst = targets
        .filter((target) => target.host === route.first.name)
        .map(({ address }) => address);
      assert.deepEqual(ofFirst, route.first.addresses);
      const asked = dns.queries
        .filter(({ type }) => type !== 'MX')
        .map(({ name, type }) => `${type} ${name}`);
      assert.equal(asked.filter((query) => query.startsWith('A ')).length, 2);
      assert.equal(new Set(asked).size, asked.length);
    }
  });
});
