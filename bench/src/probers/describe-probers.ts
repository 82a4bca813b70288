import { short } from '../results/numbers.ts';
import { table } from '../results/table.ts';
import type { HopFigures } from './measure-hop.ts';
import type { MemoryFigures } from './measure-memory.ts';

export function describeHop(hops: readonly HopFigures[]): string[] {
  return [
    '## A single verification',
    '',
    'Each address is asked for twice, one at a time: of a service that asks mail hosts by itself, and of one that can',
    'reach none of them and asks through one prober elsewhere. Hosts answer after 20 ms. What is added to the median',
    'should be 50 ms at most.',
    '',
    ...table(
      [
        'database',
        'singles',
        'by itself, median',
        'p90',
        'through a prober, median',
        'p90',
        'added',
        'wrong',
      ],
      hops.map(({ database, singles, itself, through, addedMs, wrong }) => [
        database,
        String(singles),
        `${short(itself.median)} ms`,
        `${short(itself.p90)} ms`,
        `${short(through.median)} ms`,
        `${short(through.p90)} ms`,
        `**${short(addedMs)} ms**`,
        String(wrong),
      ]),
    ),
  ];
}

export function describeMemory({ mostOpen, rssBeforeMb, rssMb }: MemoryFigures): string[] {
  return [
    '## Memory of a prober',
    '',
    `With ${mostOpen} conversations open at once, as its mail hosts count them, a prober holds **${short(rssMb)} MB**`,
    `(resident; ${short(rssBeforeMb)} MB before the first). It should be 150 MB at most.`,
  ];
}
