import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { encode, type Answer } from 'dns-packet';
import fc from 'fast-check';
import { OPT, ipv4In, ipv6In, nameIn, numberIn, readMessage, textIn, type DnsRecord } from './message.ts';

const question = { name: 'example.test', type: 'MX' } as const;

function messageWith(answers: Answer[]): Buffer {
  return encode({ type: 'response', id: 7, questions: [question], answers });
}

function onlyAnswer(message: Buffer): DnsRecord {
  const [record] = readMessage(message).answers;
  assert.ok(record);
  return record;
}

/** A header that counts one question, and the bytes of its name, type and class. */
function asking(...name: number[]): Buffer {
  return Buffer.from([0, 7, 0x80, 0, 0, 1, 0, 0, 0, 0, 0, 0, ...name, 0, 15, 0, 1]);
}

const label = fc.stringMatching(/^[a-z\d_-]{1,20}$/);
const name = fc.array(label, { minLength: 1, maxLength: 8 }).map((labels) => labels.join('.'));

test('whatever records a message holds, each is read as it was written', () => {
  const written = fc.record({
    owner: name,
    ttl: fc.nat(2 ** 31 - 1),
    target: name,
    preference: fc.nat(0xffff),
    ip: fc.ipV4(),
  });
  fc.assert(
    fc.property(written, ({ owner, ttl, target, preference, ip }) => {
      const of = { name: owner, ttl };
      const records = readMessage(
        messageWith([
          { ...of, type: 'MX', data: { preference, exchange: target } },
          { ...of, type: 'CNAME', data: target },
          { ...of, type: 'PTR', data: target },
          { ...of, type: 'A', data: ip },
          { ...of, type: 'TXT', data: [target, ' ', owner] },
        ]),
      ).answers;
      const [mx, cname, ptr, a, txt] = records;
      assert.ok(mx && cname && ptr && a && txt && records.length === 5);
      for (const record of records)
        assert.deepEqual([record.owner, record.ttlS, record.class], [owner, ttl, 1]);
      assert.deepEqual([numberIn(mx, 0, 2), nameIn(mx, 2)], [preference, target]);
      assert.deepEqual([nameIn(cname), nameIn(ptr), ipv4In(a)], [target, target, ip]);
      assert.equal(textIn(txt), `${target} ${owner}`);
    }),
    { numRuns: 300 },
  );
});

test('an IPv6 address is written as RFC 5952 has it', () => {
  const group = fc.oneof(fc.constant(0), fc.nat(0xffff));
  fc.assert(
    fc.property(fc.array(group, { minLength: 8, maxLength: 8 }), (groups) => {
      const data = groups.map((value) => value.toString(16)).join(':');
      const record = onlyAnswer(messageWith([{ name: 'example.test', type: 'AAAA', data }]));
      assert.equal(`[${ipv6In(record)}]`, new URL(`http://[${data}]`).hostname);
    }),
    { numRuns: 500 },
  );
});

test('the root is a dot, and what stands beside the answers is told apart', () => {
  const message = readMessage(
    encode({
      type: 'response',
      questions: [{ ...question, name: 'ExAmple.test' }],
      answers: [{ name: 'example.test', type: 'MX', data: { preference: 0, exchange: '.' } }],
      authorities: [
        { name: 'test', type: 'SOA', ttl: 60, data: { mname: 'a.test', rname: 'b.test', minimum: 30 } },
      ],
      additionals: [
        {
          name: '.',
          type: 'OPT',
          udpPayloadSize: 1_232,
          extendedRcode: 1,
          ednsVersion: 0,
          flags: 0,
          flag_do: false,
          options: [],
        },
      ],
    }),
  );
  assert.deepEqual(message.questions, [{ name: 'example.test', type: 15, class: 1 }]);
  assert.equal(message.answers.map((record) => nameIn(record, 2)).join(), '.');
  assert.deepEqual(
    message.authorities.map((soa) => numberIn(soa, soa.dataEnd - soa.dataAt - 4, 4)),
    [30],
  );
  assert.deepEqual(
    message.additionals.map(({ type, ttlS }) => [type, ttlS >>> 24]),
    [[OPT, 1]],
  );
});

describe('a message that is not as it should be is not read', () => {
  const longName = Array.from({ length: 4 }, () => [63, ...Array<number>(63).fill(0x61)]).flat();
  const broken: [string, Buffer][] = [
    ['an empty one', Buffer.alloc(0)],
    ['half a header', Buffer.alloc(8)],
    ['a header that counts more than there is', Buffer.alloc(12, 0xff)],
    ['a name that points at itself', asking(0xc0, 12)],
    ['a name that points ahead', asking(0xc0, 14, 0)],
    ['a name that points round in a circle', asking(1, 0x61, 0xc0, 12)],
    ['a name that points beyond the message', asking(0xff, 0xff)],
    ['a label of an undefined kind', asking(0x41, ...Array<number>(65).fill(0x61), 0)],
    ['a name over 255 bytes', asking(...longName, 0)],
    ['a label that is cut off', asking(60, 0x61)],
  ];
  for (const [title, message] of broken) {
    test(title, () => assert.throws(() => readMessage(message)));
  }

  test('a name that is led from pointer to pointer more often than it could have labels', () => {
    const pointerTo = (at: number) => [0xc0 | (at >> 8), at & 0xff];
    const ownedThrough = (pointers: number) => {
      // In the data of the first record: each points to the one before it, and the first to the name of the question.
      const place = (index: number) => (index < 0 ? 12 : 31 + 2 * index);
      const row = Array.from({ length: pointers }, (_, index) => pointerTo(place(index - 1))).flat();
      const first = [...pointerTo(12), 0, 16, 0, 1, 0, 0, 0, 0, 0, row.length, ...row];
      const second = [...pointerTo(place(pointers - 1)), 0, 16, 0, 1, 0, 0, 0, 0, 0, 0];
      const message = Buffer.from([...asking(1, 0x61, 0), ...first, ...second]);
      message.writeUInt16BE(2, 6);
      return message;
    };
    const [, last] = readMessage(ownedThrough(100)).answers;
    assert.equal(last?.owner, 'a');
    assert.throws(() => readMessage(ownedThrough(127)), /pointers/);
  });

  test('a record that is cut off, wherever', () => {
    const whole = messageWith([{ name: 'example.test', type: 'A', data: '192.0.2.7' }]);
    for (let end = 0; end < whole.length; end += 1)
      assert.throws(() => readMessage(whole.subarray(0, end)), `${end} bytes`);
  });

  test('data that go beyond their record', () => {
    const record = onlyAnswer(messageWith([{ name: 'example.test', type: 'TXT', data: ['four'] }]));
    const short = { ...record, dataEnd: record.dataEnd - 1 };
    assert.throws(() => textIn(short));
    assert.throws(() => numberIn(short, 2, 4));
    assert.throws(() => numberIn(short, -1, 2));
    assert.throws(() => ipv4In(record));
    assert.throws(() => ipv6In(record));
    const mx = onlyAnswer(
      messageWith([{ name: 'a.test', type: 'MX', data: { preference: 1, exchange: 'mx.a.test' } }]),
    );
    assert.throws(() => nameIn({ ...mx, dataEnd: mx.dataEnd - 1 }, 2));
  });
});
