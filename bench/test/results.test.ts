import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { describeMachine, machineLines, whyNotWritten } from '../src/results.ts';

const main = join(import.meta.dirname, '../src/main.ts');
const run = (...args: string[]) => spawnSync(process.execPath, [main, ...args], { encoding: 'utf8' });

describe('a result', () => {
  const [quiet, busy] = [
    { cores: 4, loadBefore: 1.9 },
    { cores: 4, loadBefore: 2.1 },
  ];

  test('is written on a quiet machine only, and the refusal says what to do', () => {
    assert.equal(whyNotWritten(false, quiet), undefined);
    const why = whyNotWritten(false, busy) ?? '';
    assert.match(why, /busy \(load 2\.10 on 4 cores\), so no result is written\..*--write.*--busy-anyway/);
    assert.equal(whyNotWritten(true, busy), undefined);
  });

  test('names the commit, the machine and its load, and says that the machine was busy', () => {
    const machine = { ...describeMachine(), ...busy };
    assert.match(machine.commit, /^(?:[0-9a-f]{10}\+?|unknown)$/);
    const lines = machineLines(machine).join('\n');
    assert.ok(lines.includes(`commit ${machine.commit}`) && lines.includes(machine.cpu));
    assert.match(lines, /load of the machine before the run: 2\.1 \(\*\*busy with other work/);
    assert.doesNotMatch(machineLines({ ...machine, ...quiet }).join('\n'), /busy/);
  });
});

describe('npm run bench', () => {
  test('--help lists every benchmark with its minutes', () => {
    const { status, stdout } = run('--help');
    assert.equal(status, 0);
    const names = [...stdout.matchAll(/^ {2}(?<name>\w+) +\d+ min/gm)].map(({ groups }) => groups?.['name']);
    assert.deepEqual(names, [
      ...['api', 'engine', 'faults', 'growth', 'lists'],
      ...['manners', 'overload', 'probers', 'scale'],
    ]);
  });

  test('a name that it does not know is refused with the list', () => {
    const { status, stderr } = run('speed');
    assert.equal(status, 2);
    assert.match(stderr, /no benchmark speed\n\nnpm run bench -- NAME/);
  });
});
