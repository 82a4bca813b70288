import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mock, test } from 'node:test';
import { batchWrites } from './batch-writes.ts';

/** Makes a logger as the service does, in a process of its own, and ends it as `ending` says. */
function logAndEnd(ending: string): Promise<{ stdout: string; code: unknown }> {
  const module = JSON.stringify(new URL('create-logger.ts', import.meta.url).href);
  const script = `const { createLogger, openStandardOutput } = await import(${module});
    const logger = createLogger('info', openStandardOutput());
    for (let line = 0; line < 500; line += 1) logger.info({ line }, 'a line of some length '.repeat(5));
    ${ending}`;
  const args = ['--disable-warning=ExperimentalWarning', '--input-type=module', '--eval', script];
  return new Promise((resolve) =>
    execFile(process.execPath, args, (error, stdout) => resolve({ stdout, code: error?.code ?? 0 })),
  );
}

const everyLine = Array.from({ length: 500 }, (_, line) => line);

function linesOf(stdout: string): number[] {
  const lines = stdout.trimEnd().split('\n');
  return lines.map((line) => Number(/"line":(\d+)/.exec(line)?.[1]));
}

test('a process that ends by itself has written every line, once and in order', async () => {
  const { code, stdout } = await logAndEnd('');
  assert.deepEqual({ code, lines: linesOf(stdout) }, { code: 0, lines: everyLine });
});

for (const [name, ending, code] of [
  ['by process.exit', 'process.exit(3);', 3],
  ['by a throw', 'throw new Error("a defect");', 1],
] as const)
  test(`a process that ends ${name} has written every line, once and in order but for the batch on its way`, async () => {
    const ended = await logAndEnd(ending);
    assert.equal(ended.code, code);
    const lines = linesOf(ended.stdout);
    assert.deepEqual(
      lines.toSorted((a, b) => a - b),
      everyLine,
    );
    // The last ones overtake it where its thread is late: then the lines step back once, to its first.
    const stepsBack = lines.filter((line, place) => line < (lines[place - 1] ?? 0));
    assert.ok(stepsBack.length <= 1, `lines step back to ${stepsBack.join(', ')}`);
  });

test('a line waits for others, but not for long', (t) => {
  mock.timers.enable({ apis: ['setTimeout'] });
  t.after(() => mock.timers.reset());
  const written: string[] = [];
  const lines = batchWrites({ write: (text) => void written.push(text) });
  lines.write('one\n');
  lines.write('two\n');
  assert.deepEqual(written, []);
  mock.timers.tick(100);
  assert.deepEqual(written, ['one\ntwo\n']);
  lines.write('x'.repeat(20_000));
  assert.equal(written.length, 2, 'many are not kept waiting');
});
