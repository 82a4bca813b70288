import assert from 'node:assert/strict';
import { test } from 'node:test';
import { pathTo, readBasePath, withoutBasePath } from './base-path.ts';

test('the base path is what stands before the assets', () => {
  assert.equal(readBasePath('https://example.com/assets/app-1A2B3C4D.js'), '');
  assert.equal(readBasePath('https://example.com/mailproof/assets/app-1A2B3C4D.js'), '/mailproof');
  assert.equal(readBasePath('https://example.com/assets/check/assets/app-1A2B3C4D.js'), '/assets/check');
});

test('a path under the base path is read without it, and any other as it is', () => {
  assert.equal(withoutBasePath('/mailproof', '/mailproof'), '/');
  assert.equal(withoutBasePath('/mailproof/lists/3f2c', '/mailproof'), '/lists/3f2c');
  assert.equal(withoutBasePath('/mailproofs', '/mailproof'), '/mailproofs');
  assert.equal(withoutBasePath('/lists', ''), '/lists');
  assert.equal(pathTo('/lists'), '/lists');
});
