import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { startPrivatePostgres } from '../service/test/support/postgres/private-postgres.ts';
import { mutants, type Mutant } from './mutants/mutants.ts';

/**
 *     npm run test:mutants                       every mutant: which of them do the tests not find?
 *     npm run test:mutants -- --only "frozen"    those whose name or file holds the word
 *
 * First the tests are run as they are, since a test that fails anyhow finds nothing. It takes minutes, and is not part of
 * `npm test`. The exit code is 0 only where every mutant was found.
 */
const root = join(import.meta.dirname, '..');
const hook = join(import.meta.dirname, 'mutants/apply-mutant.ts');
const longestTestMs = 120_000;

const { values: wish } = parseArgs({ options: { only: { type: 'string', default: '' } } });
const tell = (line: string): void => void process.stdout.write(`${line}\n`);

async function passes(tests: readonly string[], mutant: Mutant, databaseUrl: string): Promise<boolean> {
  const env = {
    ...process.env,
    MAILPROOF_TEST_POSTGRES_URL: databaseUrl,
    MAILPROOF_MUTANT: JSON.stringify(mutant),
    NODE_OPTIONS: `--import=${hook}`,
  };
  // A test that fails leaves its database open, and would keep its process.
  const args = ['--test', '--test-force-exit', `--test-timeout=${longestTestMs}`, ...tests];
  const child = spawn(process.execPath, args, { cwd: root, env, stdio: 'ignore' });
  const [code] = (await once(child, 'close')) as [number | null];
  return code === 0;
}

function standsOnce({ file, find }: Mutant): boolean {
  return readFileSync(join(root, file), 'utf8').split(find).length === 2;
}

async function main(): Promise<number> {
  const chosen = mutants.filter(({ name, file }) => name.includes(wish.only) || file.includes(wish.only));
  const stale = chosen.filter((mutant) => !standsOnce(mutant));
  for (const { name, file } of stale) tell(`✖ ${name}: its text does not stand once in ${file}`);
  const postgres = await startPrivatePostgres();
  try {
    const tests = [...new Set(chosen.flatMap((mutant) => mutant.tests))];
    tell(`${tests.length} test files as they are …`);
    // With the hook in place, too, and the first defect replaced by what it was.
    const [first] = chosen;
    if (first === undefined) return 0;
    if (!(await passes(tests, { ...first, replace: first.find }, postgres.url))) {
      tell('✖ they fail without any mutant');
      return 1;
    }
    let missed = stale.length;
    for (const mutant of chosen.filter((one) => !stale.includes(one))) {
      const isFound = !(await passes(mutant.tests, mutant, postgres.url));
      tell(`${isFound ? '✔' : '✖ not found:'} ${mutant.name}`);
      if (!isFound) missed += 1;
    }
    tell(`${chosen.length - missed} of ${chosen.length} mutants found`);
    return missed === 0 ? 0 : 1;
  } finally {
    await postgres.stop();
  }
}

process.exitCode = await main();
