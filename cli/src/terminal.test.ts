import assert from 'node:assert/strict';
import { Readable, Writable } from 'node:stream';
import { test } from 'node:test';
import { createTerminal } from './terminal.ts';

const erase = '\r\u001b[2K';

test('on one screen, answers and words go above the progress line, which stays', async () => {
  const screen: string[] = [];
  const terminal = createTerminal({ input: Readable.from([]), output: shown(screen), side: shown(screen) });
  terminal.progress('1 done');
  await terminal.write('answer\n');
  terminal.tell('word');
  terminal.progress('');
  await terminal.write('last\n');
  assert.deepEqual(screen, [
    '1 done',
    erase,
    'answer\n',
    '1 done',
    erase,
    'word\n',
    '1 done',
    erase,
    'last\n',
  ]);
});

test('answers that go elsewhere leave the screen alone', async () => {
  const screen: string[] = [];
  const file: string[] = [];
  const terminal = createTerminal({ input: Readable.from([]), output: keeping(file), side: shown(screen) });
  terminal.progress('1 done');
  await terminal.write('answer\n');
  assert.deepEqual([screen, file], [['1 done'], ['answer\n']]);
});

test('nobody watching: no progress, no colours', () => {
  const side: string[] = [];
  const terminal = createTerminal({ input: Readable.from([]), output: keeping([]), side: keeping(side) });
  terminal.progress('1 done');
  assert.deepEqual(side, []);
  assert.equal(terminal.paint('red', 'invalid'), 'invalid');
});

test('colours only where the screen has them', () => {
  const paintOn = (output: ReturnType<typeof shown>) =>
    createTerminal({ input: Readable.from([]), output, side: keeping([]) }).paint('red', 'invalid');
  assert.equal(paintOn(shown([])), '\u001b[31minvalid\u001b[39m');
  // Node says no where NO_COLOR is set or the terminal is a dumb one.
  assert.equal(paintOn(shown([], false)), 'invalid');
});

test('a write to a reader that has gone fails, and only that', async () => {
  const gone = new Writable({ write: (_chunk, _encoding, done) => done(new Error('EPIPE')) });
  const terminal = createTerminal({ input: Readable.from([]), output: gone, side: keeping([]) });
  await assert.rejects(terminal.write('answer\n'), /EPIPE/);
});

function keeping(texts: string[]): Writable {
  return new Writable({
    write(chunk: Buffer, _encoding, done) {
      texts.push(chunk.toString());
      done();
    },
  });
}

function shown(
  texts: string[],
  colours = true,
): Writable & { isTTY: boolean; columns: number; hasColors(): boolean } {
  return Object.assign(keeping(texts), { isTTY: true, columns: 80, hasColors: () => colours });
}
