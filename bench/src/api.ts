/**
 * `npm run bench:api`: what the service costs over the framework it stands on. Each request is set against a bare
 * route of the same framework in the same run; see `api/compare.ts` for how.
 */
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import type { BareAnswer, BareRoute } from './api/bare-process.ts';
import { compare, type Comparison, type Effort } from './api/compare.ts';
import { prepareMeasures } from './api/measures.ts';
import { startService } from './api/start-service.ts';
import { startChild, type ChildModule } from './processes/child.ts';
import { describeMachine, machineLines, type Machine } from './results/describe-machine.ts';
import { short } from './results/numbers.ts';
import { publish } from './results/publish.ts';
import { table } from './results/table.ts';

const { values: wish } = parseArgs({
  options: {
    /** One measure alone: single, running, completed or bulk. */
    only: { type: 'string' },
    quick: { type: 'boolean', default: false },
    write: { type: 'boolean', default: false },
    /** Writes CPU profiles of the service into this folder. */
    profile: { type: 'string' },
    connections: { type: 'string', default: '64' },
  },
});

const full: Omit<Effort, 'connections'> = { rounds: 6, roundMs: 3_000, warmUpMs: 4_000 };
const quick: Omit<Effort, 'connections'> = { rounds: 2, roundMs: 1_000, warmUpMs: 1_000 };

const bareModule: ChildModule<BareRoute[], BareAnswer> = {
  path: join(import.meta.dirname, 'api/bare-process.ts'),
};

await run({ ...(wish.quick ? quick : full), connections: Number(wish.connections) });

async function run(effort: Effort): Promise<void> {
  const machine = describeMachine();
  const service = await startService({ profileFolder: wish.profile });
  const bare = startChild(bareModule);
  try {
    const measures = await prepareMeasures(service);
    const { port } = await bare.ask(measures.map((measure) => measure.bare));
    const servers = { ours: service, bare: { port, pid: bare.pid } };
    const comparisons: Comparison[] = [];
    for (const measure of measures.filter(({ id }) => wish.only === undefined || wish.only === id)) {
      process.stderr.write(`${measure.title} …\n`);
      comparisons.push(await compare(measure, servers, effort));
    }
    publish(
      {
        name: 'api',
        lines: describe(comparisons, machine, effort),
        figures: { machine, effort, comparisons },
      },
      wish,
    );
  } finally {
    await Promise.all([bare.stop(), service.stop()]);
  }
}

function describe(comparisons: Comparison[], machine: Machine, effort: Effort): string[] {
  const { connections, rounds, roundMs } = effort;
  return [
    '# What the API costs',
    '',
    ...machineLines(machine),
    `- ${connections} connections (16 for POST bulk), ${rounds} rounds of ${roundMs / 1_000} s each, ours and the bare route in turn`,
    '- service (`./mailproof serve`, SQLite with `synchronous=FULL`, log to a file), bare route and load generator each in a process of its own',
    '',
    ...table(
      [
        'request',
        'a second',
        'p50 ms',
        'p99 ms',
        'CPU µs',
        'bare: a second',
        'p50 ms',
        'p99 ms',
        'CPU µs',
        'ratio',
        'pairs',
        'goal',
      ],
      comparisons.map(row),
    ),
    '',
    'The ratio is that of the rates, the median over the pairs of rounds; `pairs` are the lowest and the highest.',
    'CPU is the time of the server for one request; what is missing to the wall is waiting, for the disk above all.',
    ...comparisons
      .filter(({ otherwise }) => Object.keys(otherwise).length > 0)
      .map(
        ({ title, otherwise }) =>
          `Answered otherwise and not counted: ${title}: ${JSON.stringify(otherwise)}`,
      ),
  ];
}

function row({ title, ours, bare, ratio, ratios, goal }: Comparison): string[] {
  const percent = (share: number): string => `${(100 * share).toFixed(0)} %`;
  const verdict = goal === undefined ? '–' : `≥ ${percent(goal)}: ${ratio >= goal ? 'met' : 'not met'}`;
  return [
    title,
    ...[ours, bare].flatMap(({ perSecond, p50Ms, p99Ms, cpuUs }) =>
      [perSecond, p50Ms, p99Ms, cpuUs].map(short),
    ),
    percent(ratio),
    `${percent(Math.min(...ratios))}–${percent(Math.max(...ratios))}`,
    verdict,
  ];
}
