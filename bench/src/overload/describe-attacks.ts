import type { DatabaseKind } from '../api/surroundings.ts';
import { machineLines, type Machine } from '../results/describe-machine.ts';
import { short } from '../results/numbers.ts';
import { table } from '../results/table.ts';
import { leadMs, timeMs, times, type AttackFigures } from './measure-attacks.ts';

export type AttackResults = Partial<Record<DatabaseKind, AttackFigures[]>>;

/** p95 of the quiet account may grow by so much. */
const goal = 1.25;

export function describeAttacks(results: AttackResults, machine: Machine, perSecond: number): string[] {
  return [
    '# What an attacker costs somebody else',
    '',
    ...machineLines(machine),
    '',
    `A quiet account asks for ${perSecond} single verifications a second for which a mail host is asked, which takes 20 ms for a reply, and for as many whose verdict is known without one: beside an attack from another address that began ${leadMs / 1_000} s before, and alone before it and after it. Every round has every attack once, for ${times.beside} times of ${timeMs / 1_000} s, with ${times.alone} such times alone before it and as many after it. Of the rounds of an attack the half counts in which the least of the processor went to others (other processes, and what the host of a virtual machine gave away). p95 is the median of those of its times. The ratio is that of p95 beside to p95 alone before and after it in the same round, the median over the rounds that count (goal: at most ${goal}), with the lowest and the highest beside it.`,
    '',
    'Attackers, service, mail hosts, database and both generators share the processor. The control is what the machine itself makes of that: as many requests a second as the busiest attack had answered, to a bare server beside the service. The goal is not measured by it.',
    ...(['sqlite', 'postgres'] as const).flatMap((kind) => describeOne(kind, results[kind] ?? [])),
  ];
}

const titles = { sqlite: 'SQLite', postgres: 'PostgreSQL' };

const words: Record<AttackFigures['attack'], string> = {
  control: 'control: requests to a bare server',
  no_body: 'headers of POST /session without a body',
  slow_body: 'bodies of singles with a test key, a byte a second',
  slow_singles: 'singles of one account at a slow host, each repeated at once when it is answered or refused',
  idle: 'idle connections',
  test_singles: 'singles with a test key, each repeated at once',
  guesses: 'guesses of keys, each repeated at once',
};

function describeOne(kind: DatabaseKind, figures: AttackFigures[]): string[] {
  if (figures.length === 0) return [];
  return [
    '',
    `## ${titles[kind]}`,
    '',
    ...table(
      [
        'attack',
        'connections',
        'answered a second',
        'verdict',
        'alone, p95 ms',
        'beside',
        'ratio',
        'rounds',
        'goal',
        'refused (alone)',
        'CPU of the service, ms a second (alone)',
        'processor to others (alone)',
      ],
      figures.flatMap((row) => [rowOf(row, 'asked'), rowOf(row, 'known')]),
    ),
  ];
}

function rowOf(row: AttackFigures, verdict: 'asked' | 'known'): string[] {
  const { alone, beside } = row;
  const { median: ratio, rounds } = row.ratio[verdict];
  return [
    words[row.attack],
    short(row.connections),
    short(row.answeredPerSecond),
    verdict === 'asked' ? 'a host is asked' : 'known',
    short(alone[verdict].p95Ms),
    short(beside[verdict].p95Ms),
    ratio.toFixed(2),
    `${Math.min(...rounds).toFixed(2)}–${Math.max(...rounds).toFixed(2)}`,
    row.attack === 'control' ? '–' : ratio <= goal ? 'met' : 'not met',
    `${short(beside.refused)} (${short(alone.refused)})`,
    `${short(beside.serviceCpuMsPerSecond)} (${short(alone.serviceCpuMsPerSecond)})`,
    `${percent(beside.lostShare)} (${percent(alone.lostShare)})`,
  ];
}

function percent(share: number): string {
  return `${(100 * share).toFixed(0)} %`;
}
