import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { isIP } from 'node:net';
import { after, describe, test } from 'node:test';
import { encode } from 'dns-packet';
import { hasty, host, loopbackBench, patience, within } from '../../test/support/loopback-bench.ts';
import type { Zone } from '../../test/support/loopback-dns.ts';
import { defaultLimits } from '../limits.ts';
import { tracedLookups } from '../traced.ts';
import { reverseName, parseDnsServer, systemServers } from './create-resolver.ts';

const bench = loopbackBench();
after(() => bench.close());
const { server, resolver } = bench;

const name = host('example.test');
const zone: Zone = { 'example.test': { mx: [[10, 'mx.example.test']], a: ['192.0.2.7'] } };
const silence = { kind: 'failed', failure: 'silence' };

describe('bounds', () => {
  test('with 5 % of the queries unanswered the sockets stay within the pool', async () => {
    let count = 0;
    const dns = await server(zone, ({ reply }) => {
      count += 1;
      return count % 20 === 0 ? [] : [encode(reply)];
    });
    // Long enough that only unanswered questions are asked again, however busy this machine is.
    const made = resolver([dns], { dnsTryMs: 2_000, dnsLookupMs: 60_000 });
    let most = 0;
    const lookups = Array.from({ length: 600 }, async () => {
      const answer = await made.uncached.mx(name, patience(60_000));
      most = Math.max(most, made.counts().openSockets);
      return answer.kind;
    });
    assert.deepEqual(new Set(await Promise.all(lookups)), new Set(['found']));
    assert.ok(most <= defaultLimits.dnsSockets, `${most} sockets open`);
    assert.equal(new Set(dns.queries.map(({ sourcePort }) => sourcePort)).size, made.counts().openedSockets);
    assert.ok(
      made.counts().openedSockets <= defaultLimits.dnsSockets,
      `${made.counts().openedSockets} opened`,
    );
    assert.ok(dns.queries.length > 600, 'some were lost and asked again');
  });

  test('no more lookups in flight than dnsQueriesInFlight; the others wait for a place', async () => {
    let waiting = 0;
    let most = 0;
    const dns = await server(zone, async ({ reply }) => {
      waiting += 1;
      most = Math.max(most, waiting);
      await new Promise(setImmediate);
      waiting -= 1;
      return [encode(reply)];
    });
    const made = resolver([dns], { dnsQueriesInFlight: 3 });
    const answers = await Promise.all(Array.from({ length: 60 }, () => made.uncached.mx(name, patience())));
    assert.ok(answers.every(({ kind }) => kind === 'found'));
    assert.ok(most <= 3, `${most} at once`);
  });

  test('a place that does not come by the deadline is silence', async () => {
    const made = resolver([await server(zone, () => [])], { ...hasty, dnsQueriesInFlight: 1 });
    const [one, two] = [made.uncached.mx(name, patience()), made.uncached.ipv4(name, patience())];
    assert.deepEqual(await within(400, Promise.all([one, two])), [silence, silence]);
    assert.ok(made.counts().queries <= 9, `${made.counts().queries} queries`);
  });

  test('a name that no query can carry is a defect: its caller gets the error, and no other is held up', async () => {
    const made = resolver([await server(zone)], { dnsQueriesInFlight: 1 });
    for (const asked of [made, made.uncached])
      await assert.rejects(asked.text('_a..test', patience()), /no DNS name/);
    assert.equal((await made.mx(name, patience())).kind, 'found');
  });

  test('a lookup that is traced is told of at its beginning and its end, and answers as ever', async () => {
    const seen: string[] = [];
    const subscriber = {
      start: (traced: unknown) => void seen.push(`start ${JSON.stringify(traced)}`),
      end: () => undefined,
      asyncStart: () => void seen.push('answered'),
      asyncEnd: () => undefined,
      error: () => void seen.push('broke'),
    };
    tracedLookups.subscribe(subscriber);
    try {
      const made = resolver([await server(zone)]);
      assert.equal((await made.mx(name, patience())).kind, 'found');
      await assert.rejects(made.text('_a..test', patience()), /no DNS name/);
    } finally {
      tracedLookups.unsubscribe(subscriber);
    }
    assert.deepEqual(seen.slice(0, 3), ['start {"type":"MX"}', 'answered', 'start {"type":"TXT"}']);
    assert.ok(seen.includes('broke'));
  });

  test('ids and ports are spread: no two of 200 queries need be alike', async () => {
    const ids = new Set<number>();
    const dns = await server(zone, ({ id, reply }) => {
      ids.add(id);
      return [encode(reply)];
    });
    const made = resolver([dns]);
    for (let round = 0; round < 200; round += 1) await made.uncached.mx(name, patience());
    assert.ok(ids.size > 190, `${ids.size} ids`);
    assert.equal(new Set(dns.queries.map(({ sourcePort }) => sourcePort)).size, defaultLimits.dnsSockets);
  });

  test('an open resolver does not keep the process alive', async () => {
    const dns = await server(zone);
    const script = `
      import { createResolver } from './create-resolver.ts';
      import { systemClock } from '../clock.ts';
      import { defaultLimits } from '../limits.ts';
      const resolver = createResolver({ servers: [{ ip: '127.0.0.1', port: ${dns.port} }], clock: systemClock, limits: defaultLimits });
      const answer = await resolver.mx('example.test', { deadline: systemClock.now() + 8000, signal: new AbortController().signal });
      process.stdout.write(answer.kind);`;
    const child = spawn(process.execPath, ['--input-type=module', '--eval', script], {
      cwd: import.meta.dirname,
    });
    bench.onClose(() => child.kill());
    const said: Buffer[] = [];
    child.stdout.on('data', (chunk: Buffer) => said.push(chunk));
    await once(child, 'close', { signal: AbortSignal.timeout(20_000) });
    assert.equal(child.exitCode, 0);
    assert.equal(Buffer.concat(said).toString(), 'found');
  });
});

describe('the name under which an address points back', () => {
  const zeros = (count: number) => '0.'.repeat(count);
  const names: [string, string][] = [
    ['192.0.2.1', '1.2.0.192.in-addr.arpa'],
    ['::', `${zeros(32)}ip6.arpa`],
    ['::1', `1.${zeros(31)}ip6.arpa`],
    ['2001:db8::', `${zeros(24)}8.b.d.0.1.0.0.2.ip6.arpa`],
    ['2001:DB8::567:89ab', 'b.a.9.8.7.6.5.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.8.b.d.0.1.0.0.2.ip6.arpa'],
    ['1:2:3:4:5:6:7:8', '8.0.0.0.7.0.0.0.6.0.0.0.5.0.0.0.4.0.0.0.3.0.0.0.2.0.0.0.1.0.0.0.ip6.arpa'],
    ['::ffff:192.0.2.1', `1.0.2.0.0.0.0.c.f.f.f.f.${zeros(20)}ip6.arpa`],
    ['fe80::1%eth0', `1.${zeros(27)}0.8.e.f.ip6.arpa`],
  ];
  for (const [ip, expected] of names) {
    test(ip, () => assert.equal(reverseName(ip), expected));
  }

  test('a text that is no address has none', () => {
    for (const text of ['', 'example.test', '1.2.3', '192.0.2.1.evil.test'])
      assert.throws(() => reverseName(text));
  });
});

describe('a DNS server in a setting', () => {
  const good: [string, string, number][] = [
    ['192.0.2.1', '192.0.2.1', 53],
    ['192.0.2.1:5353', '192.0.2.1', 5353],
    ['2001:db8::1', '2001:db8::1', 53],
    ['::1', '::1', 53],
    ['[2001:db8::1]', '2001:db8::1', 53],
    ['[2001:db8::1]:5353', '2001:db8::1', 5353],
    ['[::ffff:192.0.2.1]:1', '::ffff:192.0.2.1', 1],
    ['fe80::1%eth0', 'fe80::1%eth0', 53],
    ['[fe80::1%eth0]:65535', 'fe80::1%eth0', 65535],
  ];
  for (const [text, ip, port] of good) {
    test(text, () => assert.deepEqual(parseDnsServer(text), { ip, port }));
  }

  const bad = [
    '',
    ':53',
    'dns.example',
    'dns.example:53',
    '192.0.2.1:',
    '192.0.2.1:0',
    '192.0.2.1:65536',
    '192.0.2.1:123456',
    '192.0.2.1:5a',
    '192.0.2.1:-1',
    ' 192.0.2.1',
    '192.0.2',
    '192.0.2.1:53:53',
    '[192.0.2.1]:53',
    '[::1',
    '::1]',
    '[::1]53',
    '[]:53',
    '1.2.3.4\n',
  ];
  for (const text of bad) {
    test(`${JSON.stringify(text)} is refused`, () => assert.equal(parseDnsServer(text), undefined));
  }
});

test('the servers of the system are addresses with a port', () => {
  for (const { ip, port } of systemServers()) {
    assert.notEqual(isIP(ip), 0);
    assert.ok(port > 0);
  }
});
