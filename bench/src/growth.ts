/**
 * `npm run bench:growth`: what a store that has grown costs: the start, the audit, a claim, pages, a new task, erasing.
 * Measured with a hundredth of the tasks and with all of them, on both databases. See `growth/measure-growth.ts`.
 *
 * Making the stores takes minutes and measuring them as many: with `--pause` it waits for Enter in between, so that the
 * machine can be left alone from then on.
 */
import { once } from 'node:events';
import { parseArgs } from 'node:util';
import { describeGrowth } from './growth/describe-growth.ts';
import { makeGrownStore, type GrownStore } from './growth/grown-store.ts';
import { measureClaims } from './growth/measure-claims.ts';
import { measureGrowth, type GrowthFigures } from './growth/measure-growth.ts';
import { startBenchPostgres } from './processes/bench-postgres.ts';
import { describeMachine } from './results/describe-machine.ts';
import { publish } from './results/publish.ts';

const { values: wish } = parseArgs({
  options: {
    /** One database alone, SQLite or PostgreSQL. */
    only: { type: 'string' },
    /** 20,000 tasks instead of a million. */
    quick: { type: 'boolean', default: false },
    /** So many past tasks, and as many that wait. */
    tasks: { type: 'string' },
    addresses: { type: 'string', default: '2' },
    /** Waits for Enter once the stores are made. */
    pause: { type: 'boolean', default: false },
    write: { type: 'boolean', default: false },
  },
});

const tasks = Number(wish.tasks ?? (wish.quick ? 20_000 : 1_000_000));
const addressesInTask = Number(wish.addresses);
const tell = (message: string): void => void process.stderr.write(`${message} …\n`);
const isWanted = (database: GrownStore['database']) =>
  wish.only === undefined || wish.only.toLowerCase() === database.toLowerCase();

const databases = (['SQLite', 'PostgreSQL'] as const).filter(isWanted);
const postgres = isWanted('PostgreSQL') ? await startBenchPostgres() : undefined;
const stores: GrownStore[] = [];
try {
  for (const database of databases) {
    for (const size of [Math.ceil(tasks / 100), tasks]) {
      tell(`${database}: ${size} past tasks and as many that wait`);
      const server = database === 'PostgreSQL' ? postgres : undefined;
      stores.push(await makeGrownStore(server, { tasks: size, addressesInTask }));
    }
  }
  if (wish.pause) {
    tell('the stores are made; Enter to measure');
    await once(process.stdin, 'data');
    process.stdin.unref();
  }
  const machine = describeMachine();
  const figures: GrowthFigures[] = [];
  for (const database of databases) {
    const own = stores.filter((store) => store.database === database);
    tell(`${database}: claims in turn`);
    const claims = await measureClaims(own);
    for (const [n, store] of own.entries()) {
      const ofStore = await measureGrowth(store, tell);
      const ofClaims = claims[n];
      if (ofClaims !== undefined) figures.push({ ...ofClaims, ...ofStore });
    }
  }
  publish({ name: 'growth', lines: describeGrowth(figures, machine), figures: { machine, figures } }, wish);
} finally {
  for (const store of stores) await store.close();
  await postgres?.stop();
}
