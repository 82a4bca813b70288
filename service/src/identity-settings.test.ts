import assert from 'node:assert/strict';
import { hostname } from 'node:os';
import { resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, test } from 'node:test';
import { readConfig, type Config } from './config.ts';
import { identitySettings, type IdentityConfig } from './identity-settings.ts';

const file = fileURLToPath(import.meta.url);

type Row = {
  usual: unknown;
  good: readonly (readonly [text: string, value: unknown])[];
  bad: readonly string[];
};

const rows: Record<keyof IdentityConfig, Row> = {
  heloName: {
    usual: expectedHostName(),
    good: [['Mail.Example.com', 'mail.example.com']],
    bad: ['localhost', 'a..example', '[192.0.2.1]', 'a b.example'],
  },
  mailFrom: {
    usual: `verify@${expectedHostName()}`,
    good: [
      ['probe@Example.com', 'probe@example.com'],
      ['x@bücher.example', 'x@xn--bcher-kva.example'],
    ],
    bad: ['example.com', '<>', 'a@b', 'jörg@example.com', 'Ada <ada@example.com>'],
  },
  publicAddresses: {
    usual: [],
    good: [
      ['192.0.2.1', ['192.0.2.1']],
      ['192.0.2.1, 2001:DB8::25', ['192.0.2.1', '2001:db8::25']],
    ],
    bad: ['mail.example.com', '192.0.2.1/32', '192.0.2.1,', 'fe80::1%eth0'],
  },
  identityCheck: {
    usual: 'on',
    good: [['off', 'off']],
    bad: ['false', 'no'],
  },
  aboutContact: {
    usual: undefined,
    good: [
      ['abuse@example.com', 'abuse@example.com'],
      ['https://example.com/contact', 'https://example.com/contact'],
    ],
    bad: ['javascript:alert(1)', 'http://example.com', 'abuse', 'https://'],
  },
  optOutFile: {
    usual: resolve(import.meta.dirname, '../../data/opt-outs.txt'),
    good: [[file, file]],
    bad: ['a\0b'],
  },
};

function expectedHostName(): string {
  const name = hostname().toLowerCase();
  return name.includes('.') ? name : `${name}.localdomain`;
}

function read(env: Record<string, string>): Config {
  const found = readConfig(env);
  assert.ok(found.kind === 'ok', JSON.stringify(found));
  return found.config;
}

assert.deepEqual(Object.keys(rows), Object.keys(identitySettings));

for (const key of Object.keys(rows) as (keyof IdentityConfig)[]) {
  const [name] = identitySettings[key].names;
  const { usual, good, bad } = rows[key];
  describe(name, () => {
    test('has its default when it is not set or empty', () => {
      assert.deepEqual(read({})[key], usual);
      assert.deepEqual(read({ [name]: '  ' })[key], usual);
    });

    test('takes what it may be', () => {
      for (const [text, value] of good) assert.deepEqual(read({ [name]: text })[key], value, text);
    });

    test('refuses anything else in one line that names it and says what it may be', () => {
      for (const text of bad) {
        const refused = readConfig({ [name]: text });
        assert.equal(refused.kind, 'bad', `${name}=${text}`);
        assert.match(refused.problem, new RegExp(`^${name} .*; it may be .+`), text);
        assert.ok(!refused.problem.includes('\n'));
      }
    });
  });
}
