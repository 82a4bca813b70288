import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { findPostgresPrograms, startPrivatePostgres } from '@mailproof/world/database';
import { dropTestDatabases } from '../service/test/support/postgres/test-postgres.ts';
import { ensureDebianPackages } from './debian-packages.ts';
import { batchTests, listTests, type Suite } from './test-suites.ts';

/**
 *     npm test                            the everyday tests
 *     npm run test:faults                 the tests that need minutes
 *     npm run test:image                  the tests of the image, on a machine where containers may be run
 *     node scripts/test.ts PATTERN…       the test files given, with any option of `node --test`
 *
 * All test files share one PostgreSQL server: the one that MAILPROOF_TEST_POSTGRES_URL names, or else a private one
 * that ends with the run. The exit code is 0 only where everything passed.
 */
const variable = 'MAILPROOF_TEST_POSTGRES_URL';
const root = join(import.meta.dirname, '..');

/**
 * Something that hangs ends sometime: a single test, and a file that does not end after its last test. Neither is
 * expected to take nearly as long, even on a busy machine.
 */
const longestTestMs = 900_000;
const longestSuiteMs = { everyday: 2_400_000, faults: 3_900_000, containers: 1_200_000 };

/**
 * Tests wait more than they work: two more than there are cores keep all of them busy. Those of the second suite start
 * many processes each, and wait most of the time for leases to end and alerts to be due.
 */
const atOnce = { everyday: availableParallelism() + 2, faults: 2, containers: 1 };

async function main(args: string[]): Promise<number> {
  if (args.length === 0) return testSuite('everyday');
  if (args[0] === '--faults') return testSuite('faults');
  if (args[0] === '--containers') return testSuite('containers');
  return withPostgres((url) => runTests(args, url));
}

async function testSuite(suite: Suite): Promise<number> {
  await ensureDebianPackages([{ name: 'chromium', proof: '/usr/bin/chromium' }]);
  const built = await buildConsole();
  if (built !== 0) return built;
  const options = [`--test-timeout=${longestTestMs}`, `--test-concurrency=${atOnce[suite]}`];
  const files = listTests(suite, root);
  const args = [...options, ...(suite === 'everyday' ? writeBatches(files) : files)];
  return withPostgres((url) => runTests(args, url, AbortSignal.timeout(longestSuiteMs[suite])));
}

/** The files to run instead: each batch as one that has the tests of all its own, under their names. */
function writeBatches(files: string[]): string[] {
  const folder = join(root, '.cache/batches');
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  const { batches, alone } = batchTests(files);
  const written = batches.map((batch) => {
    const path = join(folder, `${batch[0]?.replaceAll('/', '-')}`);
    writeFileSync(path, batchProgram(batch));
    return path;
  });
  return [...alone, ...written];
}

/** The hooks that a file sets for all its tests are those of its suite alone. */
const batchProgram = (files: string[]): string => `import { describe } from 'node:test';

for (const file of ${JSON.stringify(files)})
  await describe(file, async () => void (await import('../../' + file)));
`;

async function withPostgres(work: (url: string) => Promise<number>): Promise<number> {
  const given = process.env[variable];
  if (given !== undefined && given !== '') {
    const status = await work(given);
    await dropTestDatabases(given);
    return status;
  }
  if (findPostgresPrograms() === undefined)
    await ensureDebianPackages([{ name: 'postgresql', proof: '/usr/bin/pg_createcluster' }]);
  const server = await startPrivatePostgres();
  try {
    return await work(server.url);
  } finally {
    await server.stop();
  }
}

/**
 * Compiled code is kept between processes, as ./mailproof keeps it: there are hundreds of them. Where the signal ends
 * the run, `node --test` names the files that were running and fails.
 */
function runTests(args: string[], url: string, tooLate?: AbortSignal): Promise<number> {
  const cache = process.env['NODE_COMPILE_CACHE'] ?? join(root, '.cache/compiled');
  const env = { ...process.env, [variable]: url, NODE_COMPILE_CACHE: cache };
  const child = spawn(process.execPath, ['--test', ...args], { cwd: root, stdio: 'inherit', env });
  tooLate?.addEventListener('abort', () => child.kill('SIGTERM'), { once: true });
  return statusOf(child);
}

function buildConsole(): Promise<number> {
  return statusOf(spawn(process.execPath, ['console/build.ts'], { cwd: root, stdio: 'inherit' }));
}

/** A signal goes on to the child; it ends, and then we do. */
async function statusOf(child: ChildProcess): Promise<number> {
  const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;
  for (const signal of signals) process.on(signal, () => child.kill(signal));
  const [status] = (await once(child, 'close')) as [number | null];
  return status ?? 1;
}

try {
  process.exitCode = await main(process.argv.slice(2));
} catch (error) {
  process.stderr.write(`mailproof: ${error instanceof Error ? error.message : String(error)}\n`);
  process.exitCode = 1;
}
