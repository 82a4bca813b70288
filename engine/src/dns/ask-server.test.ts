import assert from 'node:assert/strict';
import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { createServer } from 'node:net';
import { after, describe, test } from 'node:test';
import { encode, TRUNCATED_RESPONSE, type Packet } from 'dns-packet';
import { hasty, host, loopbackBench, patience, patient, within } from '../../test/support/loopback-bench.ts';
import { fitted, rcodes, type Mischief, type Zone } from '../../test/support/loopback-dns.ts';
import { createSemaphore } from './ask-server.ts';

const bench = loopbackBench();
after(() => bench.close());
const { server, resolver } = bench;

const name = host('example.test');
const zone: Zone = { 'example.test': { mx: [[10, 'mx.example.test']], a: ['192.0.2.7'] } };
const found = { kind: 'found', records: [{ preference: 10, exchange: 'mx.example.test' }] };
const silence = { kind: 'failed', failure: 'silence' };

describe('EDNS and TCP', () => {
  test('every query offers a buffer of 1,232 bytes', async () => {
    const dns = await server(zone);
    await resolver([dns]).mx(name, patience());
    assert.equal(dns.queries[0]?.edns, true);
  });

  test('FORMERR: asked again without EDNS', async () => {
    const dns = await server(zone, ({ query, reply }) => [
      encode(query.edns ? { id: reply.id, type: 'response', flags: rcodes.formerr } : reply),
    ]);
    assert.deepEqual(await resolver([dns]).mx(name, patience()), found);
    assert.deepEqual(
      dns.queries.map(({ edns }) => edns),
      [true, false],
    );
  });

  test('FORMERR to both: the server declines', async () => {
    const dns = await server({ 'example.test': { rcode: rcodes.formerr } });
    const answer = await within(100, resolver([dns], patient).mx(name, patience()));
    assert.deepEqual(answer, { kind: 'failed', failure: 'other_rcode' });
    assert.equal(dns.queries.length, 2);
  });

  test('a truncated answer is fetched over TCP', async () => {
    const mx = Array.from({ length: 200 }, (_, index): [number, string] => [
      index,
      `mx${index}.example.test`,
    ]);
    const dns = await server({ 'example.test': { mx } });
    const made = resolver([dns]);
    const answer = await made.mx(name, patience());
    assert.equal(answer.kind === 'found' && answer.records.length, 200);
    assert.deepEqual(
      dns.queries.map(({ over }) => over),
      ['udp', 'tcp'],
    );
    assert.equal(made.counts().queries, 2);
  });

  test('an answer cut in the middle of a record is fetched over TCP', async () => {
    const dns = await server(zone, ({ query, reply }) => {
      const whole = encode({ ...reply, flags: query.over === 'udp' ? TRUNCATED_RESPONSE : 0 });
      return [query.over === 'udp' ? whole.subarray(0, whole.length - 20) : whole];
    });
    assert.deepEqual(await resolver([dns]).mx(name, patience()), found);
  });

  test('addresses that fit are enough: no TCP for the rest of them', async () => {
    const a = Array.from({ length: 250 }, (_, index) => `192.0.2.${index}`);
    const dns = await server({ 'example.test': { a } });
    const answer = await resolver([dns]).ipv4(name, patience());
    assert.ok(answer.kind === 'found' && answer.records.length >= 5);
    assert.equal(dns.queries.length, 1);
  });

  test('a truncated answer without an address is fetched over TCP', async () => {
    const dns = await server(zone, ({ query, reply }) => [
      query.over === 'tcp'
        ? encode(reply)
        : fitted({ ...reply, answers: [], flags: TRUNCATED_RESPONSE }, 512),
    ]);
    assert.deepEqual(await resolver([dns]).ipv4(name, patience()), { kind: 'found', records: ['192.0.2.7'] });
  });

  const tcpFaults: [string, Mischief, unknown][] = [
    ['no answer', () => [], silence],
    ['truncated again', ({ reply }) => [truncated(reply)], { kind: 'failed', failure: 'malformed' }],
    [
      'another id',
      ({ reply, id }) => [encode({ ...reply, id: id ^ 1 })],
      { kind: 'failed', failure: 'malformed' },
    ],
    ['garbage', () => [Buffer.alloc(64, 0xff)], { kind: 'failed', failure: 'malformed' }],
    ['an empty message', () => [Buffer.alloc(0)], { kind: 'failed', failure: 'malformed' }],
  ];
  for (const [title, overTcp, expected] of tcpFaults) {
    test(`over TCP ${title}: ${JSON.stringify(expected)} within the deadline`, async () => {
      const dns = await server(zone, (exchange) =>
        exchange.query.over === 'tcp' ? overTcp(exchange) : [truncated(exchange.reply)],
      );
      assert.deepEqual(await within(400, resolver([dns], hasty).mx(name, patience())), expected);
    });
  }

  test('truncated, and the TCP port closes on us: the next server is asked', async () => {
    const half = await server(zone, ({ reply }) => [truncated(reply)]);
    const hangsUp = createServer((socket) => socket.destroy());
    // A UDP server and a TCP server of different tempers on one port.
    await half.close();
    hangsUp.listen(half.port, half.ip);
    await once(hangsUp, 'listening');
    bench.onClose(() => hangsUp.close());
    const udp = createSocket('udp4', (request, from) => {
      const reply: Packet = {
        id: request.readUInt16BE(0),
        type: 'response',
        questions: [{ name, type: 'MX' }],
      };
      udp.send(truncated(reply), from.port, from.address);
    });
    udp.bind(half.port, half.ip);
    bench.onClose(() => udp.close());
    const well = await server(zone);
    assert.deepEqual(await within(100, resolver([half, well], patient).mx(name, patience())), found);
  });

  function truncated(reply: Packet): Buffer {
    return encode({ ...reply, answers: [], flags: TRUNCATED_RESPONSE });
  }
});

const signal = new AbortController().signal;

describe('a semaphore', () => {
  test('lets its number in, and the others in the order they came', async () => {
    const semaphore = createSemaphore(2);
    const entered: number[] = [];
    const releases: (() => void)[] = [];
    const callers = [0, 1, 2, 3].map(async (caller) => {
      releases[caller] = await semaphore.acquire(signal);
      entered.push(caller);
    });
    await Promise.all(callers.slice(0, 2));
    assert.deepEqual(entered, [0, 1]);
    releases[1]?.();
    await callers[2];
    releases[0]?.();
    await callers[3];
    assert.deepEqual(entered, [0, 1, 2, 3]);
  });

  test('a place given back twice is one place', async () => {
    const semaphore = createSemaphore(1);
    const release = await semaphore.acquire(signal);
    release();
    release();
    await semaphore.acquire(signal);
    let third = false;
    void semaphore.acquire(signal).then(() => (third = true));
    await new Promise(setImmediate);
    assert.equal(third, false);
  });

  test('one who gives up is rejected with the reason and takes no place', async () => {
    const semaphore = createSemaphore(1);
    const release = await semaphore.acquire(signal);
    const abort = new AbortController();
    const reason = new Error('enough');
    const waiting = semaphore.acquire(abort.signal);
    const next = semaphore.acquire(signal);
    abort.abort(reason);
    await assert.rejects(waiting, reason);
    release();
    await next;
    await assert.rejects(semaphore.acquire(abort.signal), reason);
  });
});
