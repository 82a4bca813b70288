/** The figures as a reader wants them: a row for each phase and process, and whether the goals are met. */
import { short } from '../results/numbers.ts';
import { table } from '../results/table.ts';
import type { ListFigures } from './check-list.ts';
import type { DatabaseFigures } from './measure-lists.ts';

const goals = { peakMb: 400, stallMs: 200 };

export function describeLists({ database, lists }: DatabaseFigures): string[] {
  const shape =
    database === 'SQLite'
      ? 'one process (`serve`)'
      : 'API and worker apart (`serve --role api`, `--role worker`)';
  const processes = lists.flatMap(({ phases }) => phases.flatMap((phase) => phase.processes));
  const peak = Math.max(...processes.map(({ peakMb }) => peakMb));
  const stall = Math.max(...processes.map(({ stallMs }) => stallMs));
  const wrong = lists.reduce((sum, list) => sum + list.wrong, 0);
  return [
    '',
    `## ${database}, ${shape}`,
    '',
    ...table(
      [
        'list',
        'rows',
        'MB',
        'phase',
        'seconds',
        'rows a second',
        'process',
        'peak memory, MB',
        'longest stall, ms',
        'its processor time, ms',
        'an idle process, ms',
      ],
      lists.flatMap(rowsOf),
    ),
    '',
    `- most memory of a process: **${short(peak)} MB** (goal: below ${goals.peakMb}: ${peak < goals.peakMb ? 'met' : 'not met'})`,
    `- longest stall of an event loop: **${short(stall)} ms** (goal: at most ${goals.stallMs}: ${stall <= goals.stallMs ? 'met' : 'not met'})`,
    wrong === 0
      ? '- every row came back as it was sent, with the right answer behind it'
      : `- **${wrong} rows came back otherwise than they were sent**`,
  ];
}

function rowsOf({ name, rows, uploadedBytes, phases }: ListFigures): string[][] {
  return phases.flatMap(({ phase, ms, processes, idleStallMs }) =>
    processes.map(({ role, peakMb, stallMs, stallCpuMs }) => [
      name,
      rows.toLocaleString('en-US'),
      short(uploadedBytes / 1e6),
      phase,
      short(ms / 1_000),
      short((1_000 * rows) / ms),
      role,
      short(peakMb),
      short(stallMs),
      short(stallCpuMs),
      short(idleStallMs),
    ]),
  );
}
