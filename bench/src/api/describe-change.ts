/** This tree beside another checkout, as a page. */
import { execFileSync } from 'node:child_process';
import { machineLines } from '../results/describe-machine.ts';
import { short } from '../results/numbers.ts';
import { table } from '../results/table.ts';
import type { Comparison, Figures } from './compare.ts';
import { effortLines, otherwiseLines, pairsOf, percent, type Described } from './describe-costs.ts';

const columns = ['a second', 'p50 ms', 'p99 ms', 'CPU µs', 'database: CPU µs'];

export function describeChange({
  results,
  machine,
  effort,
  against,
}: Described & { against: string }): string[] {
  const { sqlite = [], postgres = [] } = results;
  const header = [
    'request',
    ...columns.map((column, at) => (at === 0 ? `before: ${column}` : column)),
    ...columns.map((column, at) => (at === 0 ? `now: ${column}` : column)),
    'ratio',
    'pairs',
    'processor to others',
  ];
  const section = (title: string, comparisons: Comparison[]): string[] =>
    comparisons.length === 0 ? [] : ['', `## ${title}`, '', ...table(header, comparisons.map(row))];
  return [
    `# What changed since ${commitOf(against)}`,
    '',
    ...machineLines(machine),
    ...effortLines(effort, 'now and before'),
    '- both services (`./mailproof serve`, log to a file) with the same mail hosts, load generator and database server',
    '',
    'The ratio is that of the rates, now by before, the median over the pairs that count; `pairs` are the lowest and the highest.',
    ...section('SQLite', sqlite),
    ...section('PostgreSQL', postgres),
    ...otherwiseLines([...sqlite, ...postgres]),
  ];
}

function commitOf(checkout: string): string {
  return execFileSync('git', ['-C', checkout, 'log', '-1', '--format=%h'], { encoding: 'utf8' }).trim();
}

function row(comparison: Comparison): string[] {
  const { title, ours, other, ratio, lostShare } = comparison;
  const cells = ({ perSecond, p50Ms, p99Ms, cpuUs, databaseCpuUs }: Figures): string[] => [
    ...[perSecond, p50Ms, p99Ms, cpuUs].map(short),
    databaseCpuUs > 0 ? short(databaseCpuUs) : '–',
  ];
  return [title, ...cells(other), ...cells(ours), percent(ratio), pairsOf(comparison), percent(lostShare)];
}
