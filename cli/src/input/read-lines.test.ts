import assert from 'node:assert/strict';
import { Readable } from 'node:stream';
import { test } from 'node:test';
import { lineCharactersMax, readLines, type Line } from './read-lines.ts';

test('lines are the same however the bytes are cut', async () => {
  const bytes = Buffer.from('one\ntwo\r\n\nfünf 日本\nlast without end', 'utf8');
  const whole = await linesOf([bytes]);
  assert.deepEqual(
    whole.map((line) => (line.kind === 'line' ? line.text : line.kind)),
    ['one', 'two', '', 'fünf 日本', 'last without end'],
  );
  assert.deepEqual(
    whole.map(({ number }) => number),
    [1, 2, 3, 4, 5],
  );
  for (let size = 1; size <= bytes.length; size += 1) {
    const pieces = Array.from({ length: Math.ceil(bytes.length / size) }, (_, index) =>
      bytes.subarray(index * size, (index + 1) * size),
    );
    assert.deepEqual(await linesOf(pieces), whole, `pieces of ${size}`);
  }
});

test('a file that ends with a line end has no empty last line', async () => {
  assert.equal((await linesOf([Buffer.from('a\nb\n')])).length, 2);
  assert.equal((await linesOf([])).length, 0);
});

test('a line too long is told by its number, and the next is read all the same', async () => {
  const long = 'x'.repeat(lineCharactersMax + 1);
  const expected = [
    { kind: 'line', number: 1, text: 'a' },
    { kind: 'too_long', number: 2 },
    { kind: 'line', number: 3, text: 'b' },
  ];
  assert.deepEqual(await linesOf([Buffer.from(`a\n${long}\nb`)]), expected);
  assert.deepEqual(
    await linesOf([Buffer.from('a\n'), Buffer.from(long), Buffer.from(long), Buffer.from('\nb')]),
    expected,
  );
  assert.deepEqual(await linesOf([Buffer.from(long), Buffer.from(long)]), [{ kind: 'too_long', number: 1 }]);
});

test('a line without end is not held', async () => {
  const chunk = Buffer.alloc(1 << 20, 'x');
  const before = process.memoryUsage().heapUsed;
  const lines = await linesOf(Array.from({ length: 200 }, () => chunk));
  assert.deepEqual(lines, [{ kind: 'too_long', number: 1 }]);
  assert.ok(process.memoryUsage().heapUsed - before < 100 * 1024 * 1024);
});

async function linesOf(chunks: readonly Uint8Array[]): Promise<Line[]> {
  const all: Line[] = [];
  for await (const lines of readLines(Readable.from(chunks))) all.push(...lines);
  return all;
}
