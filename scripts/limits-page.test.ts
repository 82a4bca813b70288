import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { limitsPage } from './limits-page.ts';

test('docs/limits.md says what the table of limits says (npm run docs writes it)', () => {
  assert.equal(readFileSync(new URL('../docs/limits.md', import.meta.url), 'utf8'), limitsPage());
});
