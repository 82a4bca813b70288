/**
 * `npm run bench:lists`: long lists, uploaded, run and downloaded; how much memory the processes take and how long
 * their event loops stand still. See `lists/measure-lists.ts` for what is run.
 */
import { parseArgs } from 'node:util';
import { describeLists, describeMethod, fullRows } from './lists/describe-lists.ts';
import { keptFigures } from './lists/kept-figures.ts';
import { measureLists, type DatabaseFigures, type ListSizes } from './lists/measure-lists.ts';
import { startBenchPostgres } from './processes/bench-postgres.ts';
import { describeMachine } from './results/describe-machine.ts';
import { publish } from './results/publish.ts';

const { values: wish } = parseArgs({
  options: {
    /** One database alone, SQLite or PostgreSQL; what was written of the other stays. */
    only: { type: 'string' },
    /** A twentieth of the rows. */
    quick: { type: 'boolean', default: false },
    /** So much of them, from 0 to 1. */
    share: { type: 'string' },
    write: { type: 'boolean', default: false },
  },
});

const share = wish.quick ? 0.05 : Number(wish.share ?? 1);
const tell = (message: string): void => void process.stderr.write(`${message} …\n`);

const sizes: ListSizes = {
  csvRows: fullRows * share,
  workbookRows: 200_000 * share,
  population: { addresses: 50_000 * share, domains: 5_000 * share, hosts: 200, latencyMs: 20 },
};

async function measure(database: DatabaseFigures['database']): Promise<DatabaseFigures> {
  const machine = describeMachine();
  const postgres = database === 'PostgreSQL' ? await startBenchPostgres() : undefined;
  try {
    return { ...(await measureLists(postgres, { sizes, tell })), machine };
  } finally {
    await postgres?.stop();
  }
}

const databases: DatabaseFigures[] = [];
for (const database of ['SQLite', 'PostgreSQL'] as const) {
  const isWanted = wish.only === undefined || wish.only.toLowerCase() === database.toLowerCase();
  const figures = isWanted ? await measure(database) : keptFigures(database);
  if (figures !== undefined) databases.push(figures);
}
const lines = [...describeMethod(databases), ...databases.flatMap(describeLists)];
publish({ name: 'lists', lines, figures: { databases } }, wish);
