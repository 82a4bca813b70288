import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { test } from 'node:test';
import { clientTypes } from './client-types.ts';

test('client/src/types says what the schemas of the service say (npm run docs writes it)', async () => {
  const folder = new URL('../client/src/types/', import.meta.url);
  const pages = await clientTypes();
  assert.deepEqual(readdirSync(folder).sort(), [...pages.keys()].sort());
  for (const [file, text] of pages) assert.equal(readFileSync(new URL(file, folder), 'utf8'), text, file);
});
