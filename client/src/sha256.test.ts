import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { test } from 'node:test';
import { sha256 } from './sha256.ts';

test('agrees with the platform at every length around a block, and on any text', () => {
  const texts = [...Array(200).keys()].map((length) => 'a'.repeat(length));
  for (const text of [...texts, 'ünï©ødé \u{1f600}', 'x'.repeat(100_000)])
    assert.equal(sha256(text), createHash('sha256').update(text).digest('hex'), `length ${text.length}`);
});
