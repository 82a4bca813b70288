import type { DatabaseKind } from '../api/surroundings.ts';
import { machineLines, type Machine } from '../results/describe-machine.ts';
import { short } from '../results/numbers.ts';
import { table } from '../results/table.ts';
import type { Attack } from './attack-module.ts';
import type { AttackFigures } from './measure-attacks.ts';

export type AttackResults = Partial<Record<DatabaseKind, AttackFigures[]>>;

/** p95 of the quiet account may grow by so much. */
const goal = 1.25;

export function describeAttacks(results: AttackResults, machine: Machine, perSecond: number): string[] {
  return [
    '# What an attacker costs somebody else',
    '',
    ...machineLines(machine),
    '',
    `A quiet account asks for ${perSecond} single verifications a second for which a mail host is asked, which takes 20 ms for a reply, and for as many whose verdict is known without one: alone and beside an attack from another address, in turn. The ratio is that of p95 (goal: at most ${goal}). Attackers, service, mail hosts, database and both generators share the processor.`,
    ...(['sqlite', 'postgres'] as const).flatMap((kind) => describeOne(kind, results[kind] ?? [])),
  ];
}

const titles = { sqlite: 'SQLite', postgres: 'PostgreSQL' };

const words: Record<Attack['kind'], string> = {
  no_body: 'headers of POST /session without a body',
  slow_body: 'bodies of singles with a test key, a byte a second',
  slow_singles: 'honest singles of one account, at a slow host',
  idle: 'idle connections',
  guesses: 'guesses of keys, 200 a second',
};

function describeOne(kind: DatabaseKind, figures: AttackFigures[]): string[] {
  if (figures.length === 0) return [];
  return [
    '',
    `## ${titles[kind]}`,
    '',
    ...table(
      [
        ...['attack', 'connections', 'a host is asked: alone, p95 ms', 'beside', 'ratio', 'goal'],
        ...['known: alone, p95 ms', 'beside', 'ratio', 'refused (alone)'],
      ],
      figures.map((row) => [
        words[row.attack],
        short(row.connections),
        short(row.alone.asked.p95Ms),
        short(row.beside.asked.p95Ms),
        row.ratio.asked.toFixed(2),
        row.ratio.asked <= goal ? 'met' : 'not met',
        short(row.alone.known.p95Ms),
        short(row.beside.known.p95Ms),
        row.ratio.known.toFixed(2),
        `${short(row.beside.refused)} (${short(row.alone.refused)})`,
      ]),
    ),
  ];
}
