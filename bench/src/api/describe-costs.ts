/** The service beside a bare route of its framework, as a page. */
import { machineLines, type Machine } from '../results/describe-machine.ts';
import { short } from '../results/numbers.ts';
import { table } from '../results/table.ts';
import type { Comparison, Effort } from './compare.ts';
import type { ApiResults } from './measure-api.ts';

export type Described = { results: ApiResults; machine: Machine; effort: Effort };

const ourColumns = ['request', 'a second', 'p50 ms', 'p99 ms', 'CPU µs'];
const bareColumns = ['bare: a second', 'p50 ms', 'p99 ms', 'CPU µs', 'ratio', 'pairs', 'processor to others'];

export function describeCosts({
  results: { sqlite = [], postgres = [] },
  machine,
  effort,
}: Described): string[] {
  return [
    '# What the API costs',
    '',
    ...machineLines(machine),
    ...effortLines(effort, 'ours and the bare route'),
    '- service (`./mailproof serve`, log to a file), mail hosts, bare route and load generator each in a process of its own',
    '',
    'The first row is what users send: an address that nothing is known of, at one of 1,000 domains with 250 mail hosts that',
    'answer without delay, on the same cores; pacing is off for it, and on for the others.',
    'The ratio is that of the rates, the median over the pairs that count; `pairs` are the lowest and the highest.',
    'CPU is the time of the server for one request; what is missing to the wall is waiting, for the disk above all.',
    ...(sqlite.length === 0 ? [] : sqliteLines(sqlite)),
    ...(postgres.length === 0 ? [] : postgresLines(postgres, sqlite)),
    ...otherwiseLines([...sqlite, ...postgres]),
  ];
}

export function effortLines({ connections, starts, rounds, roundMs }: Effort, sides: string): string[] {
  return [
    `- ${connections} connections (16 for POST bulk), ${sides} in turn: ${rounds} rounds of ${roundMs / 1_000} s each, with both started anew ${starts} times`,
    '- of the pairs of rounds the half counts in which the least of the processor went to others (other processes, and what the host of a virtual machine gave away)',
  ];
}

export function otherwiseLines(comparisons: Comparison[]): string[] {
  return comparisons
    .filter(({ otherwise }) => Object.keys(otherwise).length > 0)
    .map(
      ({ title, otherwise }) =>
        `\nAnswered otherwise and not counted: ${title}: ${JSON.stringify(otherwise)}`,
    );
}

export function percent(share: number): string {
  return `${(100 * share).toFixed(0)} %`;
}

export function pairsOf({ ratios }: Comparison): string {
  return `${percent(Math.min(...ratios))}–${percent(Math.max(...ratios))}`;
}

function sqliteLines(comparisons: Comparison[]): string[] {
  return [
    '',
    '## SQLite',
    '',
    'In the data directory, with `synchronous=FULL`; writes of many callers share a commit.',
    '',
    ...table([...ourColumns, ...bareColumns, 'goal'], comparisons.map(row)),
  ];
}

function postgresLines(comparisons: Comparison[], sqlite: Comparison[]): string[] {
  const besides = (comparison: Comparison): string => {
    const other = sqlite.find(({ id }) => id === comparison.id);
    return other === undefined ? '–' : percent(comparison.ours.perSecond / other.ours.perSecond);
  };
  return [
    '',
    '## PostgreSQL',
    '',
    'A server of its own on the same machine and the same cores, durable; writes of many callers share a commit here too.',
    'One account, so one transaction at a time.',
    '',
    ...table(
      [...ourColumns, 'database: CPU µs', ...bareColumns, 'SQLite’s rate'],
      comparisons.map((comparison) => {
        const cells = row(comparison);
        const databaseCpu = short(comparison.ours.databaseCpuUs);
        return [...cells.slice(0, 5), databaseCpu, ...cells.slice(5, -1), besides(comparison)];
      }),
    ),
  ];
}

function row(comparison: Comparison): string[] {
  const { title, ours, other, ratio, goal } = comparison;
  const verdict = goal === undefined ? '–' : `≥ ${percent(goal)}: ${ratio >= goal ? 'met' : 'not met'}`;
  return [
    title,
    ...[ours, other].flatMap(({ perSecond, p50Ms, p99Ms, cpuUs }) =>
      [perSecond, p50Ms, p99Ms, cpuUs].map(short),
    ),
    percent(ratio),
    pairsOf(comparison),
    percent(comparison.lostShare),
    verdict,
  ];
}
