import assert from 'node:assert/strict';
import { createSocket } from 'node:dgram';
import { after, describe, test } from 'node:test';
import { encode } from 'dns-packet';
import type { Packet } from 'dns-packet';
import type { DnsResolver } from './create-resolver.ts';
import {
  deadServer,
  hasty,
  host,
  loopbackBench,
  patience,
  patient,
  within,
} from '../../test/support/loopback-bench.ts';
import { createTestClock } from '../../test/support/test-clock.ts';
import { rcodes } from '../../test/support/loopback-dns.ts';
import type { Zone } from '../../test/support/loopback-dns.ts';

const bench = loopbackBench();
after(() => bench.close());
const { server, resolver } = bench;

const name = host('example.test');
const zone: Zone = { 'example.test': { mx: [[10, 'mx.example.test']], a: ['192.0.2.7'] } };
const found = { kind: 'found', records: [{ preference: 10, exchange: 'mx.example.test' }] };
const silence = { kind: 'failed', failure: 'silence' };

describe('silence and noise end at the deadline', () => {
  test('a black hole: asked again every dnsTryMs, over at dnsLookupMs', async () => {
    let onQuery = () => {};
    const dns = await server(zone, () => {
      onQuery();
      return [];
    });
    const clock = createTestClock();
    const limits = { dnsTryMs: 1_000, dnsLookupMs: 4_000 };
    const made = resolver([dns], limits, clock);
    let asked = new Promise<void>((resolve) => (onQuery = resolve));
    const answer = made.uncached.mx(name, { ...patience(), deadline: 60_000 });
    for (let second = 1; second <= 4; second += 1) {
      await asked;
      asked = new Promise<void>((resolve) => (onQuery = resolve));
      clock.advance(1_000);
    }
    assert.deepEqual(await answer, silence);
    assert.deepEqual([dns.queries.length, clock.now()], [4, 4_000]);
  });

  test('the deadline of the caller comes before that of the lookup', async () => {
    const dns = await server(zone, () => []);
    assert.deepEqual(await within(100, resolver([dns]).mx(name, patience(100))), silence);
  });

  test('a deadline that has passed sends nothing', async () => {
    const dns = await server(zone);
    const made = resolver([dns]);
    assert.deepEqual(await made.mx(name, patience(0)), silence);
    assert.deepEqual(await made.uncached.mx(name, patience(-5)), silence);
    assert.equal(made.counts().queries, 0);
  });

  test('nothing but garbage with the right id: malformed, at the deadline', async () => {
    const dns = await server(zone, ({ request }) => [
      Buffer.concat([request.subarray(0, 2), Buffer.alloc(30, 0xff)]),
    ]);
    const answer = await resolver([dns], { dnsTryMs: 200, dnsLookupMs: 2_000 }).mx(name, patience());
    assert.deepEqual(answer, { kind: 'failed', failure: 'malformed' });
  });

  test('an answer that comes just in time is heard, whatever was sent meanwhile', async () => {
    let first = true;
    const dns = await server(zone, async ({ reply }) => {
      if (!first) return [];
      first = false;
      await new Promise((resolve) => setTimeout(resolve, 400));
      return [encode(reply)];
    });
    assert.deepEqual(await resolver([dns], { dnsTryMs: 60 }).mx(name, patience()), found);
    assert.ok(dns.queries.length > 1);
  });

  test('an answer that comes too late is not waited for', async () => {
    const dns = await server(zone, async ({ reply }) => {
      await new Promise((resolve) => setTimeout(resolve, 900));
      return [encode(reply)];
    });
    assert.deepEqual(await within(400, resolver([dns], hasty).mx(name, patience())), silence);
  });

  test('an abort rejects at once with its reason', async () => {
    const reason = new Error('enough');
    const abort = new AbortController();
    const dns = await server(zone, () => {
      abort.abort(reason);
      return [];
    });
    const made = resolver([dns]);
    await assert.rejects(within(200, made.mx(name, patience(10_000, abort.signal))), reason);
    await assert.rejects(made.uncached.mx(name, patience(10_000, abort.signal)), reason);
  });

  test('closing ends what waits as silence, and so is all that comes after', async () => {
    const made: DnsResolver = resolver([await server(zone, () => [])]);
    const pending = [made.mx(name, patience()), made.uncached.ipv4(name, patience())];
    made.close();
    assert.deepEqual(await Promise.all(pending), [silence, silence]);
    assert.deepEqual(await made.ipv6(name, patience()), silence);
    assert.equal(made.counts().openSockets, 0);
  });
});

describe('several servers', () => {
  for (const [title, rcode] of [
    ['SERVFAIL', rcodes.servfail],
    ['REFUSED', rcodes.refused],
  ] as const) {
    test(`${title} from one server: the next one is asked at once`, async () => {
      const ill = await server({ 'example.test': { rcode } });
      const well = await server(zone);
      assert.deepEqual(await within(100, resolver([ill, well], patient).mx(name, patience())), found);
    });
  }

  test('every server declines: the first failure, without waiting', async () => {
    const servers = [
      await server({ 'example.test': { rcode: rcodes.servfail } }),
      await server({ 'example.test': { rcode: rcodes.refused } }),
    ];
    const answer = await within(100, resolver(servers, patient).mx(name, patience()));
    assert.deepEqual(answer, { kind: 'failed', failure: 'servfail' });
    assert.deepEqual(
      servers.map((one) => one.queries.length),
      [1, 1],
    );
  });

  test('one declines and the other is silent: its failure, after one try', async () => {
    const ill = await server({ 'example.test': { rcode: rcodes.servfail } });
    const mute = await server(zone, () => []);
    const answer = await within(
      300,
      resolver([ill, mute], { dnsTryMs: 300, dnsLookupMs: 5_000 }).mx(name, patience()),
    );
    assert.deepEqual(answer, { kind: 'failed', failure: 'servfail' });
    assert.deepEqual([ill.queries.length, mute.queries.length], [1, 1]);
  });

  test('a server without a listener costs no wait (ICMP port unreachable)', async () => {
    const dead = await deadServer();
    const well = await server(zone);
    assert.deepEqual(await within(100, resolver([dead, well], patient).mx(name, patience())), found);
  });

  test('no server listens: silence, by the deadline and not by the thousand', async () => {
    const made = resolver([await deadServer(), await deadServer()], hasty);
    assert.deepEqual(await within(400, made.mx(name, patience())), silence);
    assert.ok(made.counts().queries <= 10, `${made.counts().queries} queries`);
  });

  test('a server that comes back within the lookup is heard', async () => {
    const dead = await deadServer();
    const made = resolver([dead], { dnsTryMs: 50, dnsLookupMs: 5_000 });
    const pending = made.mx(name, patience());
    const back = createSocket('udp4', (request, from) => {
      const reply: Packet = {
        id: request.readUInt16BE(0),
        type: 'response',
        questions: [{ name, type: 'MX' }],
      };
      back.send(encode(reply), from.port, from.address);
    });
    bench.onClose(() => back.close());
    back.bind(dead.port, dead.ip);
    assert.deepEqual(await pending, { kind: 'no_data' });
  });

  test('the server that answered is asked first from then on', async () => {
    const mute = await server(zone, () => []);
    const well = await server(zone);
    const made = resolver([mute, well], { dnsTryMs: 100 });
    assert.deepEqual(await made.mx(name, patience()), found);
    await made.ipv4(name, patience());
    await made.ipv6(name, patience());
    assert.equal(mute.queries.length, 1);
  });
});
