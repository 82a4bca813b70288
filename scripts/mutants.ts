import { availableParallelism } from 'node:os';
import { parseArgs } from 'node:util';
import { startPrivatePostgres } from '@mailproof/world/database';
import { faultOf, type Mutant } from './mutants/mutant.ts';
import { mutants } from './mutants/mutants.ts';
import { runTests } from './mutants/run-tests.ts';

/**
 *     npm run test:mutants                       every mutant: which of them do the tests not find?
 *     npm run test:mutants -- --only "frozen"    those whose name or file holds the word, as "service/src/core/keys" does
 *     npm run test:mutants -- --jobs 1           one at a time, instead of as many as there are cores
 *
 * Runs the tests as they are first, since a test that fails anyhow finds nothing: the mutants of such tests are not
 * tried. Each of the others then meets only the tests nearest to it, on SQLite first, and on both databases if it is not
 * found there. This takes minutes and is not part of `npm test`. The exit code is 0 if every mutant is found, except
 * those that say why they cannot be, and these are at most 5 %.
 */
const leastFound = 0.95;
const leastTimeoutMs = 90_000;
const longestTestsMs = 300_000;

const { values: wish } = parseArgs({
  options: { only: { type: 'string', multiple: true, default: [''] }, jobs: { type: 'string' } },
});
const jobs = Number(wish.jobs ?? availableParallelism());
const startedAt = performance.now();
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

/** How long each set of tests takes without a mutant. A set that fails is not among them. */
async function timeTests(chosen: readonly Mutant[], databaseUrl: string): Promise<Map<string, number>> {
  const times = new Map<string, number>();
  const sets = new Map(chosen.map(({ tests }) => [testsKey(tests), tests]));
  tell(`${sets.size} sets of tests as they are …`);
  await forEach([...sets], async ([key, tests]) => {
    const run = await runTests({ tests, databaseUrl, timeoutMs: longestTestsMs });
    if (run.passed) times.set(key, run.tookMs);
    else tell(`✖ fails without any mutant: ${run.failedTest} (${key})`);
  });
  return times;
}

/** Mutants that the tests did not find, and those that met none, since their tests fail as they are. */
type Outcome = { survivors: Mutant[]; untried: Mutant[] };

async function tryMutants(chosen: readonly Mutant[], databaseUrl: string): Promise<Outcome> {
  const times = await timeTests(chosen, databaseUrl);
  const outcome: Outcome = { survivors: [], untried: [] };
  await forEach(chosen, async (mutant) => {
    const usualMs = times.get(testsKey(mutant.tests));
    if (usualMs === undefined) return void outcome.untried.push(mutant);
    const timeoutMs = Math.max(leastTimeoutMs, 10 * usualMs);
    const order = { ...mutant, mutant, databaseUrl, timeoutMs };
    const quick = await runTests({ ...order, onSqliteOnly: true });
    const run = quick.passed ? await runTests(order) : quick;
    if (run.passed) outcome.survivors.push(mutant);
    tell(run.passed ? `✖ not found: ${mutant.name} (${mutant.file})` : `✔ ${mutant.name}: ${run.failedTest}`);
  });
  return outcome;
}

function judge(chosen: readonly Mutant[], { survivors, untried }: Outcome): number {
  const missed = new Set([...survivors, ...untried]);
  const unexplained = survivors.filter(({ survives }) => survives === undefined);
  const wrong = chosen.filter((mutant) => mutant.survives !== undefined && !missed.has(mutant));
  for (const { name, file } of unexplained) tell(`✖ not found, though it could be: ${name} (${file})`);
  for (const { name, file } of untried) tell(`✖ not tried: ${name} (${file})`);
  for (const { name } of wrong) tell(`✖ found, though it says that it cannot be: ${name}`);
  for (const { name, survives } of survivors)
    if (survives !== undefined) tell(`survives: ${name}. ${survives}`);
  for (const [room, inRoom] of Map.groupBy(chosen, ({ file }) => roomOf(file)))
    tell(`${room}: ${inRoom.filter((mutant) => !missed.has(mutant)).length} of ${inRoom.length}`);
  const found = chosen.length - missed.size;
  const percent = ((100 * found) / chosen.length).toFixed(1);
  tell(`${found} of ${chosen.length} mutants found (${percent} %) in ${minutesSince(startedAt)} minutes`);
  const faults = unexplained.length + untried.length + wrong.length;
  return faults === 0 && found >= leastFound * chosen.length ? 0 : 1;
}

const roomOf = (file: string): string => file.split('/').slice(0, 3).join('/');
const minutesSince = (start: number): string => ((performance.now() - start) / 60_000).toFixed(0);

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
    return judge(chosen, await tryMutants(chosen, postgres.url));
  } finally {
    await postgres.stop();
  }
}

process.exitCode = await main();
