import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { defaultLimits } from '../limits.ts';
import type { CanonicalHost } from '../syntax/address.ts';
import { encodeCommand, type Command } from './command.ts';

const host = 'plain.test' as CanonicalHost;
const encode = (command: Command): string => encodeCommand(command, defaultLimits);

describe('commands as they go on the wire', () => {
  const table: [Command, string][] = [
    [{ verb: 'EHLO', name: 'probe.example.com' }, 'EHLO probe.example.com\r\n'],
    [{ verb: 'HELO', name: 'probe.example.com' }, 'HELO probe.example.com\r\n'],
    [{ verb: 'STARTTLS' }, 'STARTTLS\r\n'],
    [{ verb: 'MAIL', from: 'verify@example.com', smtputf8: false }, 'MAIL FROM:<verify@example.com>\r\n'],
    [
      { verb: 'MAIL', from: 'verify@example.com', smtputf8: true },
      'MAIL FROM:<verify@example.com> SMTPUTF8\r\n',
    ],
    [{ verb: 'RCPT', localPart: '"a b"', host, smtputf8: false }, 'RCPT TO:<"a b"@plain.test>\r\n'],
    [{ verb: 'RCPT', localPart: 'jörg', host, smtputf8: true }, 'RCPT TO:<jörg@plain.test>\r\n'],
    [{ verb: 'RSET' }, 'RSET\r\n'],
    [{ verb: 'QUIT' }, 'QUIT\r\n'],
  ];
  for (const [command, line] of table) test(line.trim(), () => assert.equal(encode(command), line));
});

describe('a byte that could end the line or start another command is refused', () => {
  for (let byte = 0; byte < 0x20; byte += 1) {
    test(`byte ${byte}`, () => {
      const localPart = `a${String.fromCharCode(byte)}b`;
      assert.throws(
        () => encode({ verb: 'RCPT', localPart, host, smtputf8: true }),
        /must not go on the wire/,
      );
    });
  }
  test('DEL', () => assert.throws(() => encode({ verb: 'EHLO', name: 'a\x7fb' }), /must not go on the wire/));
  test('beyond ASCII where the transaction is not SMTPUTF8', () => {
    assert.throws(
      () => encode({ verb: 'RCPT', localPart: 'jörg', host, smtputf8: false }),
      /must not go on the wire/,
    );
  });
  test('a command over 512 bytes', () => {
    assert.throws(() => encode({ verb: 'EHLO', name: 'x'.repeat(506) }), /longer than a command/);
    assert.doesNotThrow(() => encode({ verb: 'EHLO', name: 'x'.repeat(505) }));
  });
});
