import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { metricsPage } from './metrics-page.ts';

test('docs/metrics.md says what the table says (npm run docs writes it)', async () => {
  assert.equal(readFileSync(new URL('../docs/metrics.md', import.meta.url), 'utf8'), await metricsPage());
});
