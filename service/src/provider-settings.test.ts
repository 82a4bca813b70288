import assert from 'node:assert/strict';
import { fileURLToPath } from 'node:url';
import { describe, test } from 'node:test';
import { readConfig, type Config } from './config.ts';
import { providerSettings, type ProviderConfig } from './provider-settings.ts';

const file = fileURLToPath(import.meta.url);

type Row = {
  usual: unknown;
  good: readonly (readonly [text: string, value: unknown])[];
  bad: readonly string[];
};

const rows: Record<keyof ProviderConfig, Row> = {
  providersFile: { usual: undefined, good: [[file, file]], bad: [`${file}.missing`, import.meta.dirname] },
  providersLeftOut: {
    usual: [],
    good: [
      ['all', []],
      ['permitted', ['outlook']],
      ['-outlook, -microsoft', ['outlook', 'microsoft']],
    ],
    bad: ['none', 'outlook', '-nobody', '-outlook,', 'all,-google'],
  },
  pacing: { usual: 'on', good: [['off', 'off']], bad: ['false', 'no'] },
  ipProfile: {
    usual: 'established',
    good: [
      ['new', 'new'],
      ['private', 'private'],
    ],
    bad: ['old', 'New'],
  },
  reuseMs: {
    usual: 600_000,
    good: [
      ['0', 0],
      ['1000', 1_000],
    ],
    bad: ['-1', 'never', '86400001'],
  },
};

function read(env: Record<string, string>): Config {
  const found = readConfig(env);
  assert.ok(found.kind === 'ok', JSON.stringify(found));
  return found.config;
}

assert.deepEqual(Object.keys(rows), Object.keys(providerSettings));

for (const key of Object.keys(rows) as (keyof ProviderConfig)[]) {
  const [name] = providerSettings[key].names;
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
