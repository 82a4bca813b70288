/**
 * `npm run bench -- growth`: the cost of a grown store: start, audit, claims, pages, new tasks, erasing. Measured with
 * a hundredth of the tasks and with all of them, on both databases. See `growth/measure-growth.ts`.
 *
 * Making the stores takes minutes and measuring them as many: with `--pause` it waits for Enter in between, so that the
 * machine can be left alone from then on.
 */
import { once } from 'node:events';
import { makeGrownStore, measureClaims, type GrownStore } from './growth/grown-store.ts';
import { measureGrowth, type GrowthFigures } from './growth/measure-growth.ts';
import { startBenchPostgres } from './processes/servers.ts';
import {
  describeMachine,
  publish,
  readWish,
  tell,
  machineLines,
  short,
  table,
  type Machine,
  type Spread,
} from './results.ts';

const options = {
  /** One database alone, SQLite or PostgreSQL. */
  only: { type: 'string' },
  /** Number of past tasks, and of waiting ones. With `--quick` 20,000 instead of a million. */
  tasks: { type: 'string' },
  addresses: { type: 'string', default: '2' },
  /** Waits for Enter once the stores are made. */
  pause: { type: 'boolean', default: false },
} as const;

export async function runGrowth(args: string[]): Promise<void> {
  const wish = readWish(args, options);
  const tasks = Number(wish.tasks ?? (wish.quick ? 20_000 : 1_000_000));
  const addressesInTask = Number(wish.addresses);
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
}

function describeGrowth(figures: GrowthFigures[], machine: Machine): string[] {
  return [
    '# What a store that has grown costs',
    '',
    'One account with so many completed tasks, and as many that wait for a worker. Everything should cost the same in both columns of a database; only the first audit after an upgrade reads all there is, beside the service.',
    'It is watched for half a minute, from the first answers of the service on.',
    'The host of a virtual machine may give its processors to other machines for a while, which looks like work of whoever was at it. What is promised is judged by the moments in which it did not; the figures with all moments are beside them.',
    '',
    ...machineLines(machine),
    '',
    ...table(
      ['', ...figures.map(({ database, tasks }) => `${database}, ${short(tasks)}`)],
      rows.map(([title, cell]) => [title, ...figures.map(cell)]),
    ),
    '',
    ...figures.flatMap((large) => {
      const small = figures.find((one) => one.database === large.database && one.tasks < large.tasks);
      return small === undefined ? [] : describeGoals(small, large);
    }),
  ];
}

/** Beyond it too few moments are left to judge by. */
const mostStolen = 0.05;

const met = (isMet: boolean): string => (isMet ? 'met' : 'not met');

/** The promises for the store with all tasks. */
function describeGoals(small: GrowthFigures, large: GrowthFigures): string[] {
  const atMost = (title: string, { ms, goal, stolen = 0 }: { ms: number; goal: number; stolen?: number }) => {
    const judged = stolen <= mostStolen ? met(ms <= goal) : 'not judged, other machines had too much';
    return `- ${large.database}: ${title} **${short(ms)} ms** (goal: at most ${goal}: ${judged})`;
  };
  // Difference between two measurements of the same thing.
  const same = (title: string, of: (figures: GrowthFigures) => number) => {
    const ratio = of(large) / of(small);
    return `- ${large.database}: ${title} **${short(ratio)} ×** (goal: the same, at most 1.5 ×: ${met(ratio <= 1.5)})`;
  };
  return [
    atMost('longest slice of erasing', {
      ms: large.longestOwnEraseMs,
      goal: 50,
      stolen: large.stolenShare,
    }),
    atMost('longest work without a pause in the first audit', {
      ms: large.firstAuditOwnStallMs,
      goal: 20,
      stolen: large.firstAuditStolenShare,
    }),
    atMost('longest stall of the event loop in an audit of what is new', {
      ms: large.newsAuditStallMs,
      goal: 20,
    }),
    same('audit after 200 new tasks', ({ newsAuditMs }) => newsAuditMs),
    same('claim', ({ claimMs }) => claimMs.p50),
    same('next start until it listens', ({ nextStartMs }) => nextStartMs),
    same('the queue on the Health page', ({ queueMs }) => queueMs.p50),
  ];
}

const spread = ({ p50, p99 }: Spread) => `${short(p50)} / ${short(p99)}`;

const rows: [string, (figures: GrowthFigures) => string][] = [
  ['addresses in a past task', ({ addressesInTask }) => short(addressesInTask)],
  ['size, MB', ({ bytes }) => short(bytes / 1e6)],
  ['start until it listens, ms', ({ startMs }) => short(startMs)],
  [
    'entries audited beside it a second, for the first time',
    ({ firstAuditPerSecond }) => short(firstAuditPerSecond),
  ],
  [
    'longest work without a pause of its thread meanwhile, ms',
    ({ firstAuditOwnStallMs }) => short(firstAuditOwnStallMs),
  ],
  ['… with moments of other machines, ms', ({ firstAuditStallMs }) => short(firstAuditStallMs)],
  ['… processor time that those had, %', ({ firstAuditStolenShare }) => short(100 * firstAuditStolenShare)],
  ['next start until it listens, ms', ({ nextStartMs }) => short(nextStartMs)],
  ['… until what is new was audited, ms', ({ nextAuditMs }) => short(nextAuditMs)],
  ['audit after 200 new tasks, ms', ({ newsAuditMs }) => short(newsAuditMs)],
  ['longest stall of the event loop meanwhile, ms', ({ newsAuditStallMs }) => short(newsAuditStallMs)],
  ['… processor time of its thread in one go, ms', ({ newsAuditWorkMs }) => short(newsAuditWorkMs)],
  ['claim, ms (median / p99)', ({ claimMs }) => spread(claimMs)],
  ['… the first of a connection, ms', ({ firstClaimMs }) => short(firstClaimMs)],
  ['page of the ledger, ms (median / p99)', ({ ledgerPageMs }) => spread(ledgerPageMs)],
  ['page of tasks, ms (median / p99)', ({ taskPageMs }) => spread(taskPageMs)],
  ['the queue on the Health page, ms (median / p99)', ({ queueMs }) => spread(queueMs)],
  ['new tasks of 100 addresses a second', ({ createdPerSecond }) => short(createdPerSecond)],
  ['expired tasks erased a second', ({ erasedPerSecond }) => short(erasedPerSecond)],
  ['… slices undone because they took long', ({ slicesUndone }) => short(slicesUndone)],
  ['a slice of erasing with its commit, ms (median / p99)', ({ eraseMs }) => spread(eraseMs)],
  ['longest slice of erasing, ms', ({ longestOwnEraseMs }) => short(longestOwnEraseMs)],
  ['… with moments of other machines, ms', ({ longestEraseMs }) => short(longestEraseMs)],
  ['… processor time that those had, %', ({ stolenShare }) => short(100 * stolenShare)],
];
