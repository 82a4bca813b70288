import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { defaultLimits } from '../limits.ts';
import { ReplyReader, type Reply } from './reply-reader.ts';

function readAll(...chunks: (string | Buffer)[]): { replies: Reply[]; intact: boolean; empty: boolean } {
  const reader = new ReplyReader(defaultLimits);
  const intact = chunks.map((chunk) => reader.push(Buffer.from(chunk as string, 'latin1'))).every(Boolean);
  const replies: Reply[] = [];
  for (let reply = reader.take(); reply !== undefined; reply = reader.take()) replies.push(reply);
  return { replies, intact, empty: reader.isEmpty() };
}

describe('a well-formed reply', () => {
  test('is read with its enhanced code taken off the text', () => {
    assert.deepEqual(readAll('550 5.1.1 <x@plain.test>: User unknown\r\n').replies, [
      { code: 550, enhanced: '5.1.1', lines: ['<x@plain.test>: User unknown'] },
    ]);
  });

  test('may have many lines, each with the enhanced code', () => {
    assert.deepEqual(readAll('550-5.1.1 The account does not exist.\r\n550 5.1.1 Learn more\r\n').replies, [
      { code: 550, enhanced: '5.1.1', lines: ['The account does not exist.', 'Learn more'] },
    ]);
  });

  test('may be a bare code', () => {
    assert.deepEqual(readAll('250\r\n').replies, [{ code: 250, enhanced: undefined, lines: [''] }]);
  });

  test('keeps an enhanced code whose class contradicts the code in the text, unbelieved', () => {
    assert.deepEqual(readAll('450 5.1.1 later\r\n').replies, [
      { code: 450, enhanced: undefined, lines: ['5.1.1 later'] },
    ]);
  });

  test('may end its lines with a bare LF, as Postfix allows', () => {
    assert.deepEqual(readAll('250-one\n250 two\n').replies, [
      { code: 250, enhanced: undefined, lines: ['one', 'two'] },
    ]);
  });

  test('takes the code of its last line', () => {
    assert.equal(readAll('250-fine\r\n550 or not\r\n').replies[0]?.code, 550);
  });

  test('reads the same however its bytes are cut', () => {
    const text = '250-mx.plain.test\r\n250-PIPELINING\r\n250 SMTPUTF8\r\n550 5.2.1 disabled\r\n';
    const whole = readAll(text).replies;
    fc.assert(
      fc.property(fc.array(fc.nat(text.length), { maxLength: 12 }), (cuts) => {
        const edges = [0, ...cuts.toSorted((a, b) => a - b), text.length];
        const chunks = edges.slice(1).map((edge, index) => text.slice(edges[index], edge));
        assert.deepEqual(readAll(...chunks).replies, whole);
      }),
    );
  });
});

describe('the letters of a reply', () => {
  const said = '550 5.1.1 Empfänger unbekannt, 用户不存在, 😀\r\n';

  test('are UTF-8 where a line is valid UTF-8, however its bytes are cut', () => {
    const bytes = Buffer.from(said, 'utf8');
    for (let cut = 0; cut <= bytes.length; cut += 1) {
      const { replies } = readAll(bytes.subarray(0, cut), bytes.subarray(cut));
      assert.deepEqual(replies, [
        { code: 550, enhanced: '5.1.1', lines: ['Empfänger unbekannt, 用户不存在, 😀'] },
      ]);
    }
  });

  test('are Latin-1 where a line is not, and each line is judged by itself', () => {
    const latin = Buffer.from('550-Bo\u00eete inconnue\r\n', 'latin1');
    assert.deepEqual(readAll(latin, Buffer.from('550 Boîte inconnue\r\n')).replies[0]?.lines, [
      'Boîte inconnue',
      'Boîte inconnue',
    ]);
    // Overlong, a surrogate, beyond Unicode, and cut off in the middle.
    for (const bytes of ['\xc0\xaf', '\xed\xa0\x80', '\xf5\x80\x80\x80', '\xe7\x94'])
      assert.deepEqual(readAll(`550 ${bytes}\r\n`).replies[0]?.lines, [bytes]);
  });

  test('count by their bytes against every limit', () => {
    const { replyLineBytes } = defaultLimits;
    const line = (letters: number) => Buffer.from(`250 ${'é'.repeat(letters)}\r\n`, 'utf8');
    assert.equal(readAll(line(replyLineBytes / 2 - 4)).intact, true);
    assert.equal(readAll(line(replyLineBytes / 2)).intact, false);
  });
});

describe('bytes that are not SMTP break the reader', () => {
  const garbage = [
    'HTTP/1.1 400 Bad Request\r\n',
    'SSH-2.0-OpenSSH_9.6\r\n',
    '\r\n',
    ' 250 ok\r\n',
    '25 ok\r\n',
    '2500 ok\r\n',
    '25x ok\r\n',
    '250_ok\r\n',
    '250ok\r\n',
    '150 one\r\n',
    '099 zero\r\n',
    '650 six\r\n',
    '999 nine\r\n',
    '000\r\n',
    '-250 ok\r\n',
    '250 a\0b\r\n',
    '\0\0\0\r\n',
    '+250 ok\r\n',
    '\u{b2}50 ok\r\n',
    '250\tok\r\n',
    '250\u{b}ok\r\n',
    'ok\r\n',
    '250-one\r\nhello\r\n',
  ];
  for (const line of garbage) {
    test(JSON.stringify(line), () => {
      const { intact, replies } = readAll(line);
      assert.equal(intact, false);
      assert.deepEqual(replies, []);
    });
  }

  test('a broken reader stays broken', () => {
    const reader = new ReplyReader(defaultLimits);
    assert.equal(reader.push(Buffer.from('garbage\r\n')), false);
    assert.equal(reader.push(Buffer.from('250 ok\r\n')), false);
    assert.equal(reader.take(), undefined);
  });
});

describe('nothing a host sends can grow without bound', () => {
  test('a line over its limit, with or without an end', () => {
    assert.equal(readAll(`250 ${'x'.repeat(defaultLimits.replyLineBytes)}`).intact, false);
    assert.equal(readAll(`250 ${'x'.repeat(defaultLimits.replyLineBytes)}\r\n`).intact, false);
  });
  test('a reply of too many lines', () => {
    assert.equal(readAll('250-x\r\n'.repeat(defaultLimits.replyLines)).intact, true);
    assert.equal(readAll('250-x\r\n'.repeat(defaultLimits.replyLines + 1)).intact, false);
  });
  test('a reply of too many bytes', () => {
    assert.equal(readAll(`250-${'x'.repeat(1_000)}\r\n`.repeat(17)).intact, false);
  });
  test('a conversation of too many bytes', () => {
    assert.equal(readAll('250 ok\r\n'.repeat(defaultLimits.conversationBytes / 8)).intact, true);
    assert.equal(readAll('250 ok\r\n'.repeat(defaultLimits.conversationBytes / 8 + 1)).intact, false);
  });
});

test('the reader is total: whatever bytes come, it answers and never throws', () => {
  fc.assert(
    fc.property(fc.array(fc.uint8Array({ maxLength: 300 }), { maxLength: 8 }), (chunks) => {
      const { replies } = readAll(...chunks.map((chunk) => Buffer.from(chunk)));
      for (const reply of replies) assert.ok(reply.code >= 200 && reply.code <= 599);
    }),
    { numRuns: 2_000 },
  );
});

test('data that arrived and was not taken is seen, even half a line', () => {
  assert.equal(readAll('250 ok\r\n').empty, true);
  assert.equal(readAll('250 ok\r\n2').empty, false);
  assert.equal(readAll('250 ok\r\n250-more\r\n').empty, false);
});
