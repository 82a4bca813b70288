/**
 * `npm run bench:growth`: what a store that has grown costs: the start, the audit, a claim, pages, a new task, erasing.
 * Measured with a hundredth of the tasks and with all of them, on both databases. See `growth/measure-growth.ts`.
 */
import { parseArgs } from 'node:util';
import { describeGrowth } from './growth/describe-growth.ts';
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
    write: { type: 'boolean', default: false },
  },
});

const tasks = Number(wish.tasks ?? (wish.quick ? 20_000 : 1_000_000));
const addressesInTask = Number(wish.addresses);
const tell = (message: string): void => void process.stderr.write(`${message} …\n`);

const machine = describeMachine();
const figures: GrowthFigures[] = [];
for (const database of ['SQLite', 'PostgreSQL'] as const) {
  if (wish.only !== undefined && wish.only.toLowerCase() !== database.toLowerCase()) continue;
  const postgres = database === 'PostgreSQL' ? await startBenchPostgres() : undefined;
  try {
    for (const size of [Math.ceil(tasks / 100), tasks])
      figures.push(await measureGrowth(postgres, { tasks: size, addressesInTask, tell }));
  } finally {
    await postgres?.stop();
  }
}
publish({ name: 'growth', lines: describeGrowth(figures, machine), figures: { machine, figures } }, wish);
