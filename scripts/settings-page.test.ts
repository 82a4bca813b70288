import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { settingsPage } from './settings-page.ts';

test('docs/settings.md says what the table says (npm run docs writes it)', () => {
  assert.equal(readFileSync(new URL('../docs/settings.md', import.meta.url), 'utf8'), settingsPage());
});
