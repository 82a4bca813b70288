/**
 * `npm run bench:lists`: long lists, uploaded, run and downloaded; how much memory the processes take and how long
 * their event loops stand still. See `lists/measure-lists.ts` for what is run.
 */
import { parseArgs } from 'node:util';
import { describeLists } from './lists/describe-lists.ts';
import { measureLists, type DatabaseFigures, type ListSizes } from './lists/measure-lists.ts';
import { startBenchPostgres } from './processes/bench-postgres.ts';
import { describeMachine, machineLines } from './results/describe-machine.ts';
import { short } from './results/numbers.ts';
import { publish } from './results/publish.ts';

const { values: wish } = parseArgs({
  options: {
    /** One database alone: sqlite or postgresql. */
    only: { type: 'string' },
    /** A twentieth of the rows. */
    quick: { type: 'boolean', default: false },
    write: { type: 'boolean', default: false },
  },
});

const share = wish.quick ? 0.05 : 1;
const tell = (message: string): void => void process.stderr.write(`${message} …\n`);
const wanted = (database: string): boolean => wish.only === undefined || wish.only === database;

const sizes: ListSizes = {
  csvRows: 1_000_000 * share,
  workbookRows: 200_000 * share,
  population: {
    addresses: 50_000 * share,
    domains: 5_000 * share,
    hosts: 200,
    latencyMs: 20,
  },
};

const machine = describeMachine();
const postgres = await startBenchPostgres();
try {
  const databases: DatabaseFigures[] = [];
  if (wanted('sqlite')) databases.push(await measureLists(undefined, { sizes, tell }));
  if (wanted('postgresql')) databases.push(await measureLists(postgres, { sizes, tell }));
  const { population } = sizes;
  const lines = [
    '# Long lists',
    '',
    ...machineLines(machine),
    `- PostgreSQL ${postgres.version} on the same machine, durable (\`fsync\` and \`synchronous_commit\` on)`,
    ...(wish.quick ? ['- **at a twentieth of the size**'] : []),
    '',
    `A list is uploaded, run and downloaded whole, one after the other: as CSV and as a workbook in the sandbox without its delays, where one row in a hundred is a duplicate, and as CSV in a world with ${short(population.domains)} domains on ${population.hosts} mail hosts with ${population.latencyMs} ms of latency a reply and limits per destination lifted. Memory is the most that was resident in the phase (VmHWM). A stall is the longest time for which the event loop did nothing else, by the clock; beside it the processor time that the process itself had in a stretch of it, and the longest stall of a process that had nothing to do, which is the machine's own.`,
    ...databases.flatMap(describeLists),
  ];
  publish({ name: 'lists', lines, figures: { machine, postgres: postgres.version, sizes, databases } }, wish);
} finally {
  await postgres.stop();
}
