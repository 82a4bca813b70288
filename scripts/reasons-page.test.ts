import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { reasonsPage } from './reasons-page.ts';

test('docs/reasons.md says what the sentences say (npm run docs writes it)', () => {
  assert.equal(readFileSync(new URL('../docs/reasons.md', import.meta.url), 'utf8'), reasonsPage());
});
