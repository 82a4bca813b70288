import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { readPolicyFile } from '../engine/src/politeness/read-policy-file.ts';
import { exampleFile, providersPage } from './providers-page.ts';

test('docs/providers.md says what the tables say (npm run docs writes it)', () => {
  assert.equal(readFileSync(new URL('../docs/providers.md', import.meta.url), 'utf8'), providersPage());
});

test('the example of the page is a file that is read', () => {
  const read = readPolicyFile(exampleFile);
  assert.equal(read.kind, 'ok', JSON.stringify(read));
});
