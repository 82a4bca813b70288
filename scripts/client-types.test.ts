import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { test } from 'node:test';
import { clientTypes } from './client-types.ts';

test('the types of client/src say what the schemas of the service say (npm run docs writes it)', async () => {
  const folder = new URL('../client/src/', import.meta.url);
  const pages = await clientTypes();
  const written = readdirSync(folder).filter((file) => file.endsWith('-types.ts'));
  assert.deepEqual(written.sort(), [...pages.keys()].sort());
  for (const [file, text] of pages) assert.equal(readFileSync(new URL(file, folder), 'utf8'), text, file);
});
