import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text as textOf } from 'node:stream/consumers';
import { dropTestDatabases } from '../../service/test/support/postgres/test-postgres.ts';
import type { Mutant } from './mutant.ts';

/** How a run of tests ended, and after how long. */
type TestRun = { passed: boolean; tookMs: number; failedTest: string };

type Order = {
  tests: readonly string[];
  mutant?: Mutant;
  databaseUrl: string;
  timeoutMs: number;
  /** Leaves out the suites on PostgreSQL, which seldom find more and take longer. */
  onSqliteOnly?: boolean;
};

const root = join(import.meta.dirname, '../..');
const hook = join(import.meta.dirname, 'apply-mutant.ts');
const reporter = join(import.meta.dirname, 'stop-at-failure.ts');

/** Tests that measure time may fail on a busy machine, and such a failure would count as a finding. */
const timedTests = '/does not wait for a look at the clock/';

const options = [
  '--test-isolation=none',
  '--test-force-exit',
  `--test-reporter=${reporter}`,
  `--test-skip-pattern=${timedTests}`,
];
const withoutPostgres = '--test-skip-pattern=/ on PostgreSQL/';

/**
 * Runs test files in one process that ends with the first failure. Removes its children, its databases and its
 * temporary files. A run that does not end in time has failed.
 */
export async function runTests(order: Order): Promise<TestRun> {
  const { tests, mutant, databaseUrl, timeoutMs, onSqliteOnly = false } = order;
  const temporary = mkdtempSync(join(tmpdir(), 'mailproof-mutant-'));
  const startedAt = performance.now();
  const skips = onSqliteOnly ? [withoutPostgres] : [];
  const child = spawn(process.execPath, ['--test', ...options, ...skips, ...tests], {
    cwd: root,
    detached: true,
    stdio: ['ignore', 'pipe', 'ignore'],
    env: {
      ...process.env,
      TMPDIR: temporary,
      MAILPROOF_TEST_POSTGRES_URL: databaseUrl,
      NODE_COMPILE_CACHE: process.env['NODE_COMPILE_CACHE'] ?? join(root, '.cache/compiled'),
      ...(mutant === undefined
        ? {}
        : { MAILPROOF_MUTANT: JSON.stringify(mutant), NODE_OPTIONS: `--import=${hook}` }),
    },
  });
  const { pid = 0 } = child;
  const timer = setTimeout(() => killGroup(pid), timeoutMs);
  const exited = new Promise<number | null>((resolve) => void child.once('exit', resolve));
  const told = textOf(child.stdout);
  const code = await exited;
  clearTimeout(timer);
  killGroup(pid);
  const tookMs = performance.now() - startedAt;
  const failedTest =
    code === null ? 'a test that did not end' : ((await told).trim().split('\n').at(-1) ?? '');
  await dropTestDatabases(databaseUrl, pid);
  rmSync(temporary, { recursive: true, force: true, maxRetries: 5 });
  return { passed: code === 0, tookMs, failedTest };
}

/** The group of a process outlives it only if it left children behind. */
function killGroup(pid: number): void {
  try {
    process.kill(-pid, 'SIGKILL');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
  }
}
