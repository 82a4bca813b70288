import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { availableParallelism, tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { startPrivatePostgres } from '@mailproof/world/database';
import { dropTestDatabases } from '../service/test/support/postgres/test-postgres.ts';
import { noInstallVariable } from './debian-packages.ts';
import {
  ensurePrograms,
  findPostgres,
  isCi,
  notFound,
  remedyFor,
  type Environment,
} from './test-programs.ts';
import { batchesFolder, describeSkips, statusWith, type Skip } from './test-report.ts';
import { batchTests, listTests, type Suite } from './test-suites.ts';

/**
 *     npm test                            the everyday tests
 *     npm run test:unit                   the quick part of them, without PostgreSQL and browser
 *     npm run test:faults                 the tests that need minutes
 *     npm run test:image                  the tests of the image, on a machine where containers may be run
 *     node scripts/test.ts PATTERN…       the test files given, with any option of `node --test`
 *
 * Root on Debian gets PostgreSQL and Chromium installed if they are missing; `--no-install` forbids it. Elsewhere tests
 * use the ones that are found, or that MAILPROOF_TEST_POSTGRES (a folder of programs, or a URL) and
 * MAILPROOF_TEST_CHROMIUM (a program) name. Tests that lack one do not run, and the last lines name them. The exit code
 * is 0 if everything passed that could run; with CI=true also everything must have run.
 *
 * All test files share one PostgreSQL server: the one that is named, or a private one that ends with the run.
 */
const urlVariable = 'MAILPROOF_TEST_POSTGRES_URL';
const withoutPostgresVariable = 'MAILPROOF_TEST_WITHOUT_POSTGRES';
const root = join(import.meta.dirname, '..');

/** Ends a test, or a file that does not end after its last test. Even a busy machine needs much less. */
const longestTestMs = 900_000;
const longestSuiteMs = { everyday: 2_400_000, unit: 900_000, faults: 3_900_000, containers: 1_200_000 };

const cores = availableParallelism();

/**
 * Test files that run at once. Tests wait more than they work, so more files than cores keep the cores busy. The tests
 * of `faults` start many processes each, and wait most of the time for leases to end and alerts to be due.
 */
const atOnce = { everyday: Math.min(3 * cores, cores + 8), unit: 2 * cores, faults: 2, containers: 1 };

const suiteFlags: Record<string, Suite> = {
  '--unit': 'unit',
  '--faults': 'faults',
  '--containers': 'containers',
};

async function main(words: string[]): Promise<number> {
  const args = words.filter((word) => word !== '--no-install');
  if (args.length < words.length) process.env[noInstallVariable] = '1';
  const suite = args.length === 0 ? 'everyday' : suiteFlags[args[0] ?? ''];
  if (suite === 'unit') return testSuite(suite, { [withoutPostgresVariable]: unitReason });
  const missing = await ensurePrograms();
  const names = missing.map(({ name }) => name);
  const isWhole = isCi(process.env) || (suite !== undefined && suite !== 'everyday');
  if (missing.length > 0 && isWhole)
    throw new Error(`${names.join(' and ')} not found, and this run must be whole. ${remedyFor(missing)}`);
  if (missing.length > 0)
    tell(
      `mailproof: ${names.join(' and ')} not found; tests that need ${missing.length === 1 ? 'it' : 'them'} will not run`,
    );
  const run = (env: Environment) => (suite === undefined ? runTests(args, env) : testSuite(suite, env));
  const status = await withPostgres(run);
  if (missing.length > 0) tell(`mailproof: ${remedyFor(missing)}`);
  return status;
}

/** Why `npm run test:unit` uses no PostgreSQL. That is its purpose, so nothing is missing. */
const unitReason = 'npm test has it';
const tell = (line: string): void => void process.stderr.write(`${line}\n`);

async function testSuite(suite: Suite, env: Environment): Promise<number> {
  const built = await buildConsole();
  if (built !== 0) return built;
  const options = [`--test-timeout=${longestTestMs}`, `--test-concurrency=${atOnce[suite]}`];
  const files = listTests(suite, root);
  const inBatches = suite === 'everyday' || suite === 'unit';
  const args = [...options, ...(inBatches ? writeBatches(files) : files)];
  return runTests(args, env, AbortSignal.timeout(longestSuiteMs[suite]));
}

/** Writes a file for each batch, which runs the tests of all its files under their names. Returns the files to run. */
function writeBatches(files: string[]): string[] {
  const folder = join(root, batchesFolder);
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

/** Each file is a suite, so that its hooks are for its own tests alone. */
const batchProgram = (files: string[]): string => `import { describe } from 'node:test';

for (const file of ${JSON.stringify(files)})
  await describe(file, async () => void (await import('../../' + file)));
`;

/** Runs tests with the environment that leads them to a PostgreSQL server, or says that it is missing. */
async function withPostgres(work: (env: Environment) => Promise<number>): Promise<number> {
  const found = findPostgres();
  if (found === undefined) return work({ [withoutPostgresVariable]: notFound('PostgreSQL') });
  if (found.kind === 'server') {
    const status = await work({ [urlVariable]: found.url });
    await dropTestDatabases(found.url);
    return status;
  }
  // Test files that start servers of their own find the same programs.
  process.env['PATH'] = [found.folder, process.env['PATH']].join(delimiter);
  const server = await startPrivatePostgres();
  try {
    return await work({ [urlVariable]: server.url });
  } finally {
    await server.stop();
  }
}

/**
 * Runs `node --test` and names the tests that it skipped. Compiled code is kept between processes, as ./mailproof keeps
 * it: there are hundreds of them. If the signal ends the run, node names the files that were running and fails.
 */
async function runTests(args: string[], env: Environment, tooLate?: AbortSignal): Promise<number> {
  const folder = mkdtempSync(join(tmpdir(), 'mailproof-test-run-'));
  const skipsFile = join(folder, 'skips');
  const cache = process.env['NODE_COMPILE_CACHE'] ?? join(root, '.cache/compiled');
  const child = spawn(process.execPath, ['--test', ...reportersFor(args, skipsFile), ...args], {
    cwd: root,
    stdio: 'inherit',
    env: { ...process.env, ...env, NODE_COMPILE_CACHE: cache },
  });
  tooLate?.addEventListener('abort', () => child.kill('SIGTERM'), { once: true });
  const status = await statusOf(child);
  const skips = readSkips(skipsFile).filter(({ reason }) => reason !== unitReason);
  rmSync(folder, { recursive: true, force: true });
  if (skips.length === 0) return status;
  tell(['mailproof: Not everything ran:', ...describeSkips(skips)].join('\n'));
  return statusWith(skips, status, process.env);
}

/** The reporter of the caller's choice shows the tests, or else node's usual one; ours notes the skips beside it. */
function reportersFor(args: readonly string[], skipsFile: string): string[] {
  const chosen = args.some((arg) => arg.startsWith('--test-reporter'));
  const usual = ['--test-reporter=spec', '--test-reporter-destination=stdout'];
  const ours = [
    `--test-reporter=${join(root, 'scripts/test-report.ts')}`,
    `--test-reporter-destination=${skipsFile}`,
  ];
  return [...(chosen ? [] : usual), ...ours];
}

function readSkips(file: string): Skip[] {
  const lines = existsSync(file) ? readFileSync(file, 'utf8').split('\n') : [];
  return lines.filter((line) => line !== '').map((line) => JSON.parse(line) as Skip);
}

function buildConsole(): Promise<number> {
  return statusOf(spawn(process.execPath, ['console/build.ts'], { cwd: root, stdio: 'inherit' }));
}

/** Passes signals on to the child and waits for its end. */
async function statusOf(child: ChildProcess): Promise<number> {
  const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;
  for (const signal of signals) process.on(signal, () => child.kill(signal));
  const [status] = (await once(child, 'close')) as [number | null];
  return status ?? 1;
}

try {
  process.exitCode = await main(process.argv.slice(2));
} catch (error) {
  tell(`mailproof: ${error instanceof Error ? error.message : String(error)}`);
  process.exitCode = 1;
}
