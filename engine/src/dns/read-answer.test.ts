import assert from 'node:assert/strict';
import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { after, describe, test } from 'node:test';
import { encode, TRUNCATED_RESPONSE } from 'dns-packet';
import type { Answer, Packet } from 'dns-packet';
import { hasty, host, loopbackBench, patience, patient, within } from '../../test/support/loopback-bench.ts';
import { rcodes, startLoopbackDns } from '../../test/support/loopback-dns.ts';
import type { Zone } from '../../test/support/loopback-dns.ts';
import { readAnswer } from './read-answer.ts';

const bench = loopbackBench();
after(() => bench.close());
const { server, resolver } = bench;

const name = host('example.test');
const zone: Zone = { 'example.test': { mx: [[10, 'mx.example.test']], a: ['192.0.2.7'] } };
const found = { kind: 'found', records: [{ preference: 10, exchange: 'mx.example.test' }] };
const silence = { kind: 'failed', failure: 'silence' };

describe('the outcomes of servers are told apart', () => {
  const cases: [string, number | 'data' | 'empty', unknown][] = [
    ['NOERROR with data', 'data', found],
    ['NOERROR without data', 'empty', { kind: 'no_data' }],
    ['NXDOMAIN', rcodes.nxdomain, { kind: 'no_such_name' }],
    ['SERVFAIL', rcodes.servfail, { kind: 'failed', failure: 'servfail' }],
    ['REFUSED', rcodes.refused, { kind: 'failed', failure: 'refused' }],
    ['NOTIMP', rcodes.notimp, { kind: 'failed', failure: 'other_rcode' }],
    ['YXDOMAIN', rcodes.yxdomain, { kind: 'failed', failure: 'other_rcode' }],
    ['a code that has no name', 15, { kind: 'failed', failure: 'other_rcode' }],
  ];
  for (const [title, says, expected] of cases) {
    test(`${title}: ${JSON.stringify(expected)}`, async () => {
      const dns = await server(
        says === 'data'
          ? zone
          : { 'example.test': says === 'empty' ? { a: ['192.0.2.7'] } : { rcode: says } },
      );
      assert.deepEqual(await within(100, resolver([dns], patient).mx(name, patience())), expected);
      assert.equal(dns.queries.length, 1);
    });
  }

  test('a code that is only in the OPT record is no "no data"', async () => {
    const dns = await server(zone, ({ reply }) => [
      encode({
        ...reply,
        answers: [],
        additionals: (reply.additionals ?? []).map((opt) =>
          opt.type === 'OPT' ? { ...opt, extendedRcode: 1 } : opt,
        ),
      }),
    ]);
    assert.deepEqual(await resolver([dns]).mx(name, patience()), { kind: 'failed', failure: 'other_rcode' });
  });

  test('every kind of record comes back as its contract has it', async () => {
    const dns = await server({
      'example.test': { a: ['192.0.2.7'], aaaa: ['2001:db8::7'], txt: ['v=spf1 -all'] },
      '7.2.0.192.in-addr.arpa': { ptr: ['mx.example.test'] },
    });
    const made = resolver([dns]);
    assert.deepEqual(await made.ipv4(name, patience()), { kind: 'found', records: ['192.0.2.7'] });
    assert.deepEqual(await made.ipv6(name, patience()), { kind: 'found', records: ['2001:db8::7'] });
    assert.deepEqual(await made.text(name, patience()), { kind: 'found', records: ['v=spf1 -all'] });
    assert.deepEqual(await made.reverse('192.0.2.7', patience()), {
      kind: 'found',
      records: ['mx.example.test'],
    });
  });

  test('a server on IPv6 is asked like any other', async () => {
    const dns = await startLoopbackDns({ zone, ip: '::1' });
    bench.onClose(() => dns.close());
    assert.deepEqual(await resolver([dns]).mx(name, patience()), found);
  });
});

describe('only the answer to our question is heard', () => {
  /** Sends something wrong first, then the right answer: the wrong one must not be taken. */
  const wrongFirst: [string, (reply: Packet) => Buffer][] = [
    ['another id', (reply) => encode({ ...forged(reply), id: ((reply.id ?? 0) + 1) & 0xffff })],
    [
      'another name',
      (reply) => encode({ ...forged(reply), questions: [{ name: 'other.test', type: 'MX' }] }),
    ],
    ['another type', (reply) => encode({ ...forged(reply), questions: [{ name, type: 'A' }] })],
    [
      'another class',
      (reply) => encode({ ...forged(reply), questions: [{ name, type: 'MX', class: 'CH' }] }),
    ],
    ['no question', (reply) => encode({ ...forged(reply), questions: [] })],
    ['two questions', (reply) => encode({ ...forged(reply), questions: [question, question] })],
    ['a query, not a response', (reply) => encode({ ...forged(reply), type: 'query' })],
    ['another opcode', (reply) => encode({ ...forged(reply), flags: 4 << 11 })],
    ['garbage behind the right id', (reply) => Buffer.concat([idBytes(reply), Buffer.alloc(40, 0xff)])],
    ['a truncated answer to another question', (reply) => cutShort(reply, 'other.test')],
    ['garbage', () => Buffer.alloc(40, 0xa5)],
    ['three bytes', () => Buffer.from([1, 2, 3])],
    ['an empty datagram', () => Buffer.alloc(0)],
  ];
  for (const [title, wrong] of wrongFirst) {
    test(`${title} is passed over`, async () => {
      const dns = await server(zone, ({ reply }) => [wrong(reply), encode(reply)]);
      assert.deepEqual(await resolver([dns]).mx(name, patience()), found);
      assert.equal(dns.queries.length, 1);
    });
  }

  test('an answer from another port of the server is never heard', async () => {
    const outsider = createSocket('udp4');
    bench.onClose(() => outsider.close());
    const dns = await server(zone, async ({ query, reply }) => {
      await new Promise((sent) => outsider.send(encode(forged(reply)), query.sourcePort, '127.0.0.1', sent));
      return [encode(reply)];
    });
    assert.deepEqual(await resolver([dns]).mx(name, patience()), found);
  });

  test('an answer from another address is never heard', async () => {
    const outsider = createSocket('udp4');
    bench.onClose(() => outsider.close());
    outsider.bind(0, '127.0.0.2');
    await once(outsider, 'listening');
    const dns = await server(zone, async ({ query, reply }) => {
      await new Promise((sent) => outsider.send(encode(forged(reply)), query.sourcePort, '127.0.0.1', sent));
      return [];
    });
    assert.deepEqual(await within(400, resolver([dns], hasty).mx(name, patience())), silence);
  });

  test('case in the repeated question does not matter', async () => {
    const dns = await server(zone, ({ reply }) => [
      encode({ ...reply, questions: [{ name: 'eXample.TEST', type: 'MX' }] }),
    ]);
    assert.deepEqual(await resolver([dns]).mx(name, patience()), found);
  });

  test('records of another owner or type in the answer are left out', async () => {
    const dns = await server(zone, ({ reply }) => [
      encode({
        ...reply,
        answers: [
          { name: 'other.test', type: 'MX', data: { preference: 1, exchange: 'evil.test' } },
          { name, type: 'A', data: '192.0.2.66' },
          ...(reply.answers ?? []),
        ],
      }),
    ]);
    assert.deepEqual(await resolver([dns]).mx(name, patience()), found);
  });

  const question = { name, type: 'MX' } as const;

  function forged(reply: Packet): Packet {
    return { ...reply, answers: [{ ...question, ttl: 300, data: { preference: 1, exchange: 'evil.test' } }] };
  }

  function cutShort(reply: Packet, about: string): Buffer {
    const questions = [{ name: about, type: 'MX' }] as const;
    const whole = encode({ ...forged(reply), questions: [...questions], flags: TRUNCATED_RESPONSE });
    return whole.subarray(0, whole.length - 10);
  }

  function idBytes(reply: Packet): Buffer {
    const bytes = Buffer.alloc(2);
    bytes.writeUInt16BE(reply.id ?? 0);
    return bytes;
  }
});

describe('aliases', () => {
  test('a chain inside the answer is followed to the records at its end', async () => {
    const dns = await server({
      'example.test': { cname: 'One.Example.Test' },
      'one.example.test': { cname: '_under.score.test' },
      '_under.score.test': { mx: [[10, 'mx.example.test']] },
    });
    assert.deepEqual(await resolver([dns]).mx(name, patience()), found);
    assert.equal(dns.queries.length, 1);
  });

  for (const [links, expected] of [
    [8, found],
    [9, { kind: 'failed', failure: 'malformed' }],
  ] as const) {
    test(`a chain of ${links} links: ${expected.kind}`, async () => {
      const chain: Zone = { [`c${links}.test`]: { mx: [[10, 'mx.example.test']] } };
      for (let link = 1; link < links; link += 1) chain[`c${link}.test`] = { cname: `c${link + 1}.test` };
      chain['example.test'] = { cname: 'c1.test' };
      assert.deepEqual(await resolver([await server(chain)]).mx(name, patience()), expected);
    });
  }

  test('a loop is malformed, at once', async () => {
    const dns = await server({ 'example.test': { cname: 'b.test' }, 'b.test': { cname: 'example.test' } });
    const answer = await within(100, resolver([dns], patient).mx(name, patience()));
    assert.deepEqual(answer, { kind: 'failed', failure: 'malformed' });
  });

  test('an alias of a name that does not exist is no such name; of one without MX, no data', async () => {
    const dns = await server({
      'example.test': { cname: 'gone.test' },
      'alias.test': { cname: 'plain.test' },
      'plain.test': { a: ['192.0.2.1'] },
    });
    const made = resolver([dns]);
    assert.deepEqual(await made.mx(name, patience()), { kind: 'no_such_name' });
    assert.deepEqual(await made.mx(host('alias.test'), patience()), { kind: 'no_data' });
  });
});

describe('how long an answer may be kept', () => {
  const question = { name: 'example.test', type: 'MX' } as const;
  const alias = (ttl: number): Answer => ({ name: 'example.test', type: 'CNAME', ttl, data: 'b.test' });
  const mx = (owner: string, ttl: number): Answer => ({
    name: owner,
    type: 'MX',
    ttl,
    data: { preference: 1, exchange: 'mx.test' },
  });
  const soa = (ttl: number, minimum: number): Answer => ({
    name: 'test',
    type: 'SOA',
    ttl,
    data: { mname: 'a.test', rname: 'b.test', minimum },
  });
  const lives: [string, Packet, number][] = [
    ['the least TTL of the records', { answers: [mx('example.test', 300), mx('example.test', 60)] }, 60],
    ['the least TTL of the chain', { answers: [alias(20), mx('b.test', 60)] }, 20],
    ['a TTL of zero', { answers: [mx('example.test', 300), mx('example.test', 0)] }, 0],
    ['a TTL with the top bit set counts as zero (RFC 2181)', { answers: [mx('example.test', 2 ** 31)] }, 0],
    [
      'a record that was not asked for does not count',
      { answers: [mx('example.test', 300), mx('b.test', 1)] },
      300,
    ],
    ['nothing: the minimum of the SOA', { authorities: [soa(300, 40)] }, 40],
    ['nothing: the TTL of the SOA', { authorities: [soa(25, 900)] }, 25],
    ['nothing, and no SOA', {}, 30],
    ['nothing at the end of a chain', { answers: [alias(10)], authorities: [soa(300, 300)] }, 10],
    ['no such name', { flags: rcodes.nxdomain, authorities: [soa(50, 70)] }, 50],
  ];
  for (const [title, packet, ttlS] of lives) {
    test(`${title}: ${ttlS} s`, () => {
      const reading = readAnswer(encode({ type: 'response', questions: [question], ...packet }), question);
      assert.equal(reading.kind === 'answered' && reading.answer.ttlS, ttlS);
    });
  }
});
