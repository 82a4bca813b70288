import { availableParallelism } from 'node:os';
import { parseArgs } from 'node:util';
import { startPrivatePostgres } from '@mailproof/world/database';
import { faultOf, type Mutant } from './mutants/mutant.ts';
import { mutants } from './mutants/mutants.ts';
import { runTests } from './mutants/run-tests.ts';

/**
 *     npm run test:mutants                       every mutant: which of them do the tests not find?
 *     npm run test:mutants -- --only "frozen"    those whose name or file holds the word
 *
 * Runs the tests as they are first, since a test that fails anyhow finds nothing. Each mutant then meets only the tests
 * nearest to it, as many mutants at once as there are cores. This takes minutes and is not part of `npm test`. The exit
 * code is 0 if every mutant is found, except those that say why they cannot be, and these are at most 5 %.
 */
const leastFound = 0.95;
const leastTimeoutMs = 90_000;
const longestTestsMs = 300_000;

const { values: wish } = parseArgs({
  options: { only: { type: 'string', multiple: true, default: [''] }, jobs: { type: 'string' } },
});
const jobs = Number(wish.jobs ?? availableParallelism());
const tell = (line: string): void => void process.stdout.write(`${line}\n`);

/** Works on all items in order, at most `jobs` at once. */
async function forEach<Item>(items: readonly Item[], work: (item: Item) => Promise<void>): Promise<void> {
  const queue = items.values();
  const workers = Array.from({ length: jobs }, async () => {
    for (const item of queue) await work(item);
  });
  await Promise.all(workers);
}

const testsKey = (tests: readonly string[]): string => tests.join(' ');

/** How long each set of tests takes without a mutant; nothing if one of them fails. */
async function timeTests(
  chosen: readonly Mutant[],
  databaseUrl: string,
): Promise<Map<string, number> | undefined> {
  const times = new Map<string, number>();
  const failed: string[] = [];
  const sets = new Map(chosen.map(({ tests }) => [testsKey(tests), tests]));
  tell(`${sets.size} sets of tests as they are …`);
  await forEach([...sets], async ([key, tests]) => {
    const run = await runTests({ tests, databaseUrl, timeoutMs: longestTestsMs });
    times.set(key, run.tookMs);
    if (!run.passed) failed.push(`✖ fails without any mutant: ${run.failedTest} (${key})`);
  });
  failed.forEach(tell);
  return failed.length === 0 ? times : undefined;
}

/** The mutants that the tests did not find. */
async function tryMutants(chosen: readonly Mutant[], databaseUrl: string): Promise<Mutant[] | undefined> {
  const times = await timeTests(chosen, databaseUrl);
  if (times === undefined) return undefined;
  const survivors: Mutant[] = [];
  await forEach(chosen, async (mutant) => {
    const timeoutMs = Math.max(leastTimeoutMs, 10 * (times.get(testsKey(mutant.tests)) ?? 0));
    const run = await runTests({ ...mutant, mutant, databaseUrl, timeoutMs });
    if (run.passed) survivors.push(mutant);
    tell(run.passed ? `✖ not found: ${mutant.name} (${mutant.file})` : `✔ ${mutant.name}: ${run.failedTest}`);
  });
  return survivors;
}

function judge(chosen: readonly Mutant[], survivors: readonly Mutant[]): number {
  const unexplained = survivors.filter(({ survives }) => survives === undefined);
  const wrong = chosen.filter((mutant) => mutant.survives !== undefined && !survivors.includes(mutant));
  for (const { name, file } of unexplained) tell(`✖ not found, though it could be: ${name} (${file})`);
  for (const { name } of wrong) tell(`✖ found, though it says that it cannot be: ${name}`);
  for (const { name, survives } of survivors)
    if (survives !== undefined) tell(`survives: ${name}. ${survives}`);
  const found = chosen.length - survivors.length;
  tell(`${found} of ${chosen.length} mutants found (${((100 * found) / chosen.length).toFixed(1)} %)`);
  return unexplained.length + wrong.length === 0 && found >= leastFound * chosen.length ? 0 : 1;
}

async function main(): Promise<number> {
  const { only } = wish;
  const chosen = mutants.filter(({ name, file }) =>
    only.some((word) => name.includes(word) || file.includes(word)),
  );
  const faults = chosen.flatMap((mutant) => {
    const fault = faultOf(mutant);
    return fault === undefined ? [] : [`✖ ${mutant.name}: ${fault}`];
  });
  faults.forEach(tell);
  if (faults.length > 0 || chosen.length === 0) return 1;
  const postgres = await startPrivatePostgres();
  try {
    const survivors = await tryMutants(chosen, postgres.url);
    return survivors === undefined ? 1 : judge(chosen, survivors);
  } finally {
    await postgres.stop();
  }
}

process.exitCode = await main();
