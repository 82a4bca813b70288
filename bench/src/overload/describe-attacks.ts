import type { DatabaseKind } from '../api/surroundings.ts';
import { machineLines, type Machine } from '../results/describe-machine.ts';
import { short } from '../results/numbers.ts';
import { table } from '../results/table.ts';
import type { Attack } from './attack-module.ts';
import { leadMs, type AttackFigures } from './measure-attacks.ts';

export type AttackResults = Partial<Record<DatabaseKind, AttackFigures[]>>;

/** p95 of the quiet account may grow by so much. */
const goal = 1.25;

export function describeAttacks(results: AttackResults, machine: Machine, perSecond: number): string[] {
  return [
    '# What an attacker costs somebody else',
    '',
    ...machineLines(machine),
    '',
    `A quiet account asks for ${perSecond} single verifications a second for which a mail host is asked, which takes 20 ms for a reply, and for as many whose verdict is known without one: alone, beside an attack from another address that began ${leadMs / 1_000} s before, and beside a control, in turn. The ratio is that of p95 to alone (goal: at most ${goal}).`,
    '',
    'Attackers, service, mail hosts, database and both generators share the processor. The control is what the machine itself makes of that: as many connections and requests a second of the same attacker, to a bare server beside the service. The goal is not measured by it.',
    ...(['sqlite', 'postgres'] as const).flatMap((kind) => describeOne(kind, results[kind] ?? [])),
  ];
}

const titles = { sqlite: 'SQLite', postgres: 'PostgreSQL' };

const words: Record<Attack['kind'], string> = {
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
        ...[
          'attack',
          'connections',
          'answered a second',
          'verdict',
          'alone, p95 ms',
          'beside',
          'ratio',
          'goal',
        ],
        ...['beside the control', 'ratio', 'refused (alone)', 'CPU of the service, ms a second (alone)'],
      ],
      figures.flatMap((row) => [rowOf(row, 'asked'), rowOf(row, 'known')]),
    ),
  ];
}

function rowOf(row: AttackFigures, verdict: 'asked' | 'known'): string[] {
  const { alone, beside, control } = row;
  return [
    words[row.attack],
    short(row.connections),
    short(row.report.answersPerSecond),
    verdict === 'asked' ? 'a host is asked' : 'known',
    short(alone[verdict].p95Ms),
    short(beside[verdict].p95Ms),
    row.ratio[verdict].toFixed(2),
    row.ratio[verdict] <= goal ? 'met' : 'not met',
    short(control[verdict].p95Ms),
    row.controlRatio[verdict].toFixed(2),
    `${short(beside.refused)} (${short(alone.refused)})`,
    `${short(beside.serviceCpuMsPerSecond)} (${short(alone.serviceCpuMsPerSecond)})`,
  ];
}
