import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fromByteText, toByteText } from './byte-text.ts';
import { decodeCell } from './decode-cell.ts';

test('every byte becomes the character of its number, and comes back', () => {
  const bytes = Uint8Array.from({ length: 100_000 }, (_, i) => i % 256);
  const text = toByteText(bytes);
  assert.equal(text, Buffer.from(bytes).toString('latin1'));
  assert.deepEqual(fromByteText(text), bytes);
});

test('a cell is read as UTF-8, and what is none shows as such', () => {
  assert.equal(
    decodeCell(toByteText(new TextEncoder().encode('\ufeffjürgen@exämple.test'))),
    '\ufeffjürgen@exämple.test',
  );
  assert.equal(decodeCell('J\u00fcrgen'), 'J\ufffdrgen');
});
