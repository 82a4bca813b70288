import { machineLines, type Machine } from '../results/describe-machine.ts';
import { short, type Spread } from '../results/numbers.ts';
import { table } from '../results/table.ts';
import type { GrowthFigures } from './measure-growth.ts';

export function describeGrowth(figures: GrowthFigures[], machine: Machine): string[] {
  return [
    '# What a store that has grown costs',
    '',
    'One account with so many completed tasks, and as many that wait for a worker. Everything should cost the same in both columns of a database; only the first audit after an upgrade reads all there is, beside the service.',
    'It is watched for half a minute, from the first answers of the service on.',
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

const met = (isMet: boolean): string => (isMet ? 'met' : 'not met');

/** What was promised of the store with all tasks. */
function describeGoals(small: GrowthFigures, large: GrowthFigures): string[] {
  const atMost = (title: string, ms: number, goal: number) =>
    `- ${large.database}: ${title} **${short(ms)} ms** (goal: at most ${goal}: ${met(ms <= goal)})`;
  // What takes the same twice differs by so much.
  const same = (title: string, of: (figures: GrowthFigures) => number) => {
    const ratio = of(large) / of(small);
    return `- ${large.database}: ${title} **${short(ratio)} ×** (goal: the same, at most 1.5 ×: ${met(ratio <= 1.5)})`;
  };
  return [
    atMost('longest slice of erasing', large.longestEraseMs, 50),
    atMost('longest work without a pause in the first audit', large.firstAuditStallMs, 20),
    atMost('longest stall of the event loop in an audit of what is new', large.newsAuditStallMs, 20),
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
    ({ firstAuditStallMs }) => short(firstAuditStallMs),
  ],
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
  ['a slice of erasing with its commit, ms (median / p99)', ({ eraseMs }) => spread(eraseMs)],
  ['longest slice of erasing, ms', ({ longestEraseMs }) => short(longestEraseMs)],
  ['… slices undone because they took long', ({ slicesUndone }) => short(slicesUndone)],
  [
    'processor time that other machines of the host had meanwhile, %',
    ({ stolenShare }) => short(100 * stolenShare),
  ],
];
