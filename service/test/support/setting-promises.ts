import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { readConfig, type Config } from '../../src/start/config.ts';
import type { Setting } from '../../src/core/config/setting.ts';

export type SettingRow = {
  usual: unknown;
  good: readonly (readonly [text: string, value: unknown])[];
  bad: readonly string[];
};

/** Tests what every setting promises: its default, what it takes, and the line that refuses anything else. */
export function describeSetting(key: keyof Config, name: string, { usual, good, bad }: SettingRow): void {
  void describe(name, () => {
    void test('has its default when it is not set or empty', () => {
      assert.deepEqual(read({})[key], usual);
      assert.deepEqual(read({ [name]: '' })[key], usual);
      assert.deepEqual(read({ [name]: '  ' })[key], usual);
    });

    void test('takes what it may be', () => {
      for (const [text, value] of good) assert.deepEqual(read({ [name]: text })[key], value, text);
    });

    void test('refuses anything else in one line that names it and says what it may be', () => {
      for (const text of bad) {
        const refused = readConfig({ [name]: text });
        assert.equal(refused.kind, 'bad', `${name}=${text}`);
        assert.match(refused.problem, new RegExp(`^${name} .*; it may be .+`), text);
        assert.ok(!refused.problem.includes('\n'));
      }
    });
  });
}

/** The same for a table of settings; each has its row. */
export function describeSettings<Key extends keyof Config>(
  settings: Readonly<Record<Key, Pick<Setting<never>, 'names'>>>,
  rows: Readonly<Record<Key, SettingRow>>,
): void {
  assert.deepEqual(Object.keys(rows), Object.keys(settings));
  for (const key of Object.keys(rows) as Key[]) describeSetting(key, settings[key].names[0], rows[key]);
}

function read(env: Record<string, string>): Config {
  const found = readConfig(env);
  assert.ok(found.kind === 'ok', JSON.stringify(env));
  return found.config;
}
