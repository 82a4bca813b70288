/**
 * `npm run bench:probers`: what a prober elsewhere adds to a single verification, against the same service asking by
 * itself in the same run, and what a prober with 500 open conversations holds.
 */
import { parseArgs } from 'node:util';
import { describeHop, describeMemory } from './probers/describe-probers.ts';
import { measureHop } from './probers/measure-hop.ts';
import { measureMemory } from './probers/measure-memory.ts';
import { startBenchPostgres } from './processes/bench-postgres.ts';
import { describeMachine, machineLines } from './results/describe-machine.ts';
import { publish } from './results/publish.ts';

const { values: wish } = parseArgs({
  options: {
    /** One part alone: hop or memory. */
    only: { type: 'string' },
    singles: { type: 'string', default: '300' },
    write: { type: 'boolean', default: false },
  },
});

const machine = describeMachine();
const figures: Record<string, unknown> = { machine };
const lines = ['# Probers elsewhere', '', ...machineLines(machine)];
const tell = (message: string): void => void process.stderr.write(`${message} …\n`);
const postgres = await startBenchPostgres();
try {
  if (wish.only === undefined || wish.only === 'hop') {
    const hops = [];
    for (const database of ['SQLite', 'PostgreSQL'] as const) {
      tell(`singles on ${database}`);
      hops.push(await measureHop(postgres, { database, singles: Number(wish.singles) }));
    }
    figures['hop'] = hops;
    lines.push('', ...describeHop(hops));
  }
  if (wish.only === undefined || wish.only === 'memory') {
    tell('memory');
    const memory = await measureMemory();
    figures['memory'] = memory;
    lines.push('', ...describeMemory(memory));
  }
} finally {
  await postgres.stop();
}
publish({ name: 'probers', lines, figures }, wish);
