/**
 * `npm run bench -- scale`: bulk verification by one, two and four workers on one PostgreSQL, and what an address costs
 * the database and the worker. See `scale/run-workers.ts`.
 */
import { startBenchPostgres } from './processes/servers.ts';
import { describeMachine, machineLines, publish, readWish, tell, short, sum, table } from './results.ts';
import type { Work } from './scale/installation.ts';
import {
  measureScaling,
  measureVolume,
  type Scaling,
  type Volume,
  type WorkerRun,
} from './scale/run-workers.ts';

const options = {
  /** One part alone: scaling or volume. */
  only: { type: 'string' },
  /** Gives each worker an egress address of its own, whose owner is asked through the store. */
  'own-egress': { type: 'boolean', default: false },
} as const;

export async function runScale(args: string[]): Promise<void> {
  const wish = readWish(args, options);
  const share = wish.quick ? 0.2 : 1;
  const ownEgress = wish['own-egress'];
  const wanted = (part: string): boolean => wish.only === undefined || wish.only === part;

  const machine = describeMachine();
  const postgres = await startBenchPostgres();
  try {
    const scaling = wanted('scaling')
      ? await measureScaling({ postgres, share, tell, ownEgress })
      : undefined;
    const volume = wanted('volume') ? await measureVolume({ postgres, share, tell, ownEgress }) : undefined;
    const lines = [
      '# Beyond one process',
      '',
      ...machineLines(machine),
      `- PostgreSQL ${postgres.version} on the same machine, durable (\`fsync\` and \`synchronous_commit\` on)`,
      ...(wish.quick ? ['- **at a fifth of the size**'] : []),
      ...(ownEgress
        ? ['- each worker leaves from an egress address of its own, and hands probes to the others']
        : []),
      ...(scaling === undefined ? [] : describeScaling(scaling)),
      ...(volume === undefined ? [] : describeVolume(volume)),
    ];
    const figures = { machine, postgres: postgres.version, share, scaling, volume };
    publish({ name: ownEgress ? 'scale-own-egress' : 'scale', lines, figures }, wish);
  } finally {
    await postgres.stop();
  }
}

const percentOfCore = (cpuMs: number, { ms }: WorkerRun): string => `${short((100 * cpuMs) / ms)} %`;
const cpuUs = (cpuMs: number, { addresses }: WorkerRun): string => short((1_000 * cpuMs) / addresses);

/** The figures as a reader wants them: tables, and whether the goals are met. */
function describeScaling(scaling: Scaling): string[] {
  const { latencyMs, verificationsAtOnce, accounts, perTask, runs, ratios } = scaling;
  const [one] = runs;
  return [
    '',
    '## Workers side by side',
    '',
    `Lists of ${perTask} addresses of ${accounts} accounts, ${short(one?.addresses ?? 0)} addresses for each worker, every one at a mail host of its own with ${latencyMs} ms of latency a reply; limits per destination lifted (\`MAILPROOF_PACING=off\`). All processes share the machine, so each worker is kept small: \`MAILPROOF_VERIFICATIONS_AT_ONCE=${verificationsAtOnce}\`. It waits for latency and not for a core, and what is measured is whether the database and what goes through it (claims, leases, results, charges) stand in the way.`,
    'The tasks are there beforehand and fall due once every worker waits; the time runs from then to the last completion, by the database’s clock.',
    '',
    ...table(
      [
        'workers',
        'addresses',
        'seconds',
        'addresses a second',
        'CPU of each worker',
        'of the database',
        'of the world',
        'connections',
      ],
      runs.map((run) => [
        short(run.workers),
        short(run.addresses),
        short(run.ms / 1_000),
        short(run.perSecond),
        percentOfCore(sum(run.cpuMs.workers) / run.workers, run),
        percentOfCore(run.cpuMs.database, run),
        percentOfCore(run.cpuMs.world, run),
        short(run.connections),
      ]),
    ),
    '',
    ...ratios.map(
      ({ workers, ratio, goal }) =>
        `- ${workers} workers: **${ratio.toFixed(2)} ×** one (goal: at least ${goal} ×: ${ratio >= goal ? 'met' : 'not met'})`,
    ),
    ...wrongLines(runs),
  ];
}

function describeVolume({ latencyMs, perTask, run, sizes }: Volume): string[] {
  return [
    '',
    '## What an address costs',
    '',
    `One worker with its usual settings and ${short(run.addresses)} addresses in lists of ${perTask}, ten to a domain, on 200 hosts with ${latencyMs} ms of latency: ${short(run.perSecond)} addresses a second.`,
    '',
    ...table(
      ['an address', 'statements', 'transactions', 'bytes of log (WAL)'],
      [workRow('created over the API', run.creation, run), workRow('verified and recorded', run.work, run)],
    ),
    '',
    ...table(
      ['CPU µs an address', 'worker', 'database', 'world'],
      [['', cpuUs(sum(run.cpuMs.workers), run), cpuUs(run.cpuMs.database, run), cpuUs(run.cpuMs.world, run)]],
    ),
    '',
    ...table(
      ['bytes on the disk', 'rows', 'an address, as the run left it', 'an address, packed'],
      sizes.map(({ table: name, rows, bytes, packedBytes }) => [
        name,
        short(rows),
        short(bytes / run.addresses),
        short(packedBytes / run.addresses),
      ]),
    ),
    '',
    'The most frequent statements while the lists ran:',
    '',
    ...table(
      ['an address', 'ms each', 'statement'],
      run.work.byText.map(({ text, calls, ms }) => [
        short(calls / run.addresses),
        short(ms / calls),
        `\`${text.replaceAll('|', '\\|')}\``,
      ]),
    ),
    '',
    ...wrongLines([run]),
  ];
}

function workRow(name: string, work: Work, { addresses }: WorkerRun): string[] {
  const { statements, commits, walBytes } = work;
  return [name, ...[statements, commits, walBytes].map((count) => short(count / addresses))];
}

function wrongLines(runs: WorkerRun[]): string[] {
  const wrong = sum(runs.map((run) => run.wrong));
  return [
    wrong === 0
      ? '- every verdict right, every address charged once'
      : `- **${wrong} addresses with a wrong verdict or charge**`,
  ];
}
