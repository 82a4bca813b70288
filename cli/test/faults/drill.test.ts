import assert from 'node:assert/strict';
import { chmodSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { guideBlock } from '../../../scripts/test/support/operations-guide.ts';
import { startMailproof } from '../../../service/test/support/mailproof.ts';
import { until } from '../../../service/test/support/until.ts';
import { faults } from '../../src/drill/faults.ts';

type Printed = {
  fault: string;
  told: Record<string, { after_s: number; said: string } | null>;
  served_again_s: number | null;
  singles: { asked: number; answered: number; unanswered: number };
  tasks: { created: number; completed: number };
  wrong: object[];
  false_unknown: object[];
  books: { exact: boolean };
  missed: string[];
};

/** A folder for all that the drill writes. The user of the database writes there too. */
function makeFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'mailproof-drill-test-'));
  chmodSync(folder, 0o1777);
  return folder;
}

/** Processes whose arguments or settings name the folder. */
function processesIn(folder: string): string[] {
  return readdirSync('/proc').filter(
    (pid) =>
      /^\d+$/.test(pid) && ['cmdline', 'environ'].some((file) => readProcess(pid, file).includes(folder)),
  );
}

function readProcess(pid: string, file: string): string {
  try {
    return readFileSync(`/proc/${pid}/${file}`, 'utf8');
  } catch {
    return '';
  }
}

/** A time of ten seconds cannot be held to on a busy machine: how long it took is told, and that it came back is held. */
test('every fault is told, answers come back, none is wrong or falsely unknown, and the books are exact', async (t) => {
  const folder = makeFolder();
  const [, ...words] = guideBlock('drill.sh').trim().split(' ');
  const drill = startMailproof([...words, '--json'], { env: { TMPDIR: folder } });
  const { code, stdout, stderr } = await drill.ended;
  const printed = stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as Printed);
  assert.deepEqual(
    printed.map(({ fault }) => fault),
    faults.map(({ name }) => name),
    stderr,
  );
  for (const { fault, told, served_again_s: served, ...found } of printed) {
    const after = Object.entries(told).map(([kind, sign]) => `${kind} ${sign?.after_s ?? 'never'}`);
    t.diagnostic(`${fault}: ${after.join(', ')}, served again after ${served ?? 'never'}`);
    assert.ok(
      Object.values(told).every((sign) => sign !== null),
      `${fault}: ${JSON.stringify(told)}`,
    );
    assert.deepEqual([found.wrong, found.false_unknown], [[], []], fault);
    assert.ok(found.books.exact, `${fault}: ${JSON.stringify(found.books)}`);
    assert.equal(found.tasks.completed, found.tasks.created, fault);
    assert.equal(found.singles.unanswered, 0, fault);
    assert.ok(served !== null, fault);
    assert.ok(
      found.missed.every((line) => /^singles were (?:served again after|not served)/.test(line)),
      `${fault}: ${found.missed.join(', ')}`,
    );
  }
  assert.equal(code, printed.some(({ missed }) => missed.length > 0) ? 1 : 0);
  assert.deepEqual(readdirSync(folder), []);
  rmSync(folder, { recursive: true });
});

for (const moment of ['at its start', 'during a fault'] as const)
  test(`Ctrl-C ${moment} leaves no process, no folder and no mount behind`, async () => {
    const folder = makeFolder();
    const drill = startMailproof(['drill', '--quick', '--only', 'database-hangs'], {
      env: { TMPDIR: folder },
    });
    const isReached = () =>
      moment === 'at its start'
        ? readdirSync(folder).some((name) => name.startsWith('mailproof-postgres-'))
        : processesIn(folder).some((pid) => / T /.test(readProcess(pid, 'stat')));
    await until(isReached, (reached) => reached);
    drill.child.kill('SIGINT');
    const { code, stdout } = await drill.ended;
    assert.deepEqual([code, stdout], [130, '']);
    // The server of the database ends a moment after its keeper.
    for (let triesLeft = 100; processesIn(folder).length > 0 && triesLeft > 0; triesLeft -= 1)
      await sleep(100);
    assert.deepEqual(processesIn(folder), []);
    assert.deepEqual(readdirSync(folder), []);
    assert.ok(!readFileSync('/proc/mounts', 'utf8').includes(folder));
    rmSync(folder, { recursive: true });
  });
