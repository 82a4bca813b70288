import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readOperatorList, type OperatorEntry } from './operator-list.ts';

const every: OperatorEntry[] = ['address', 'domain', 'hash'];
const hash = 'AB'.repeat(32);

test('addresses, domains and hashes are told apart and kept in the form they are compared in', () => {
  const read = readOperatorList(`Ann.Lee@EXAMPLE.com\nMünchen.example\n${hash}\n"ann"@sub.example\n`, every);
  assert.deepEqual(read, {
    kind: 'read',
    list: {
      mailboxes: new Set(['ann.lee@example.com', 'ann@sub.example']),
      domains: new Set(['xn--mnchen-3ya.example']),
      hashes: new Set([hash.toLowerCase()]),
    },
  });
});

test('blank lines, comments, white space, a byte order mark and either line ending are no entries', () => {
  const read = readOperatorList(
    '\ufeff# who asked us to stop\r\n\r\n  a.example \r\n\t#b.example\n\n',
    every,
  );
  assert.deepEqual(read.kind === 'read' && [...read.list.domains], ['a.example']);
});

test('a hash sign inside an address is part of it', () => {
  const read = readOperatorList('a#b@example.com', every);
  assert.deepEqual(read.kind === 'read' && [...read.list.mailboxes], ['a#b@example.com']);
});

test('a bad line is told by its number and never by its words', () => {
  for (const bad of [
    'secret.person@',
    'two words',
    'localhost',
    'a@b@c',
    'abc123',
    'a.example # why',
    '１２７.example',
    '1.2.3.4',
  ]) {
    const read = readOperatorList(`# first\na.example\n${bad}\n`, every);
    assert.deepEqual({ ...read, why: '' }, { kind: 'bad_line', line: 3, why: '' }, bad);
    assert.equal(JSON.stringify(read).includes(bad), false, bad);
  }
});

test('an entry of a kind that the list does not take is a bad line', () => {
  assert.deepEqual(readOperatorList('a.example', ['address', 'hash']), {
    kind: 'bad_line',
    line: 1,
    why: 'holds a domain, and this list takes an address or a SHA-256 in hexadecimal',
  });
  assert.equal(readOperatorList(hash, ['address', 'domain']).kind, 'bad_line');
});
