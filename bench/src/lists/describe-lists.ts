/** The figures as a reader wants them: a row for each phase and process, and whether the goals are met. */
import { machineLines } from '../results/describe-machine.ts';
import { short } from '../results/numbers.ts';
import { table } from '../results/table.ts';
import type { ListFigures } from './check-list.ts';
import type { DatabaseFigures } from './measure-lists.ts';

/** Of the longest list of a whole run. */
export const fullRows = 1_000_000;

const goals = { peakMb: 400, stallMs: 200 };

export function describeMethod([first]: DatabaseFigures[]): string[] {
  if (first === undefined) return [];
  const { population } = first.sizes;
  return [
    '# Long lists',
    '',
    `A list is uploaded, run and downloaded whole, one after the other: as CSV and as a workbook in the sandbox without its delays, where one row in a hundred is a duplicate and one in a thousand no address; and as CSV in a world with ${short(population.domains)} domains on ${population.hosts} mail hosts with ${population.latencyMs} ms of latency a reply, limits per destination lifted (\`MAILPROOF_PACING=off\`).`,
    '',
    'Memory is the most that was resident in the phase (VmHWM). A stall is the longest time for which the event loop came to nothing else, by the clock. Beside it is the processor time of the process in such a stretch, which tells what was its own doing, and the longest stall of a process that had nothing to do, which is the machine’s.',
  ];
}

export function describeLists({ database, version, machine, sizes, lists }: DatabaseFigures): string[] {
  const shape =
    database === 'SQLite'
      ? 'one process (`serve`)'
      : 'API and worker apart (`serve --role api`, `--role worker`)';
  const processes = lists.flatMap(({ phases }) => phases.flatMap((phase) => phase.processes));
  const peak = Math.max(...processes.map(({ peakMb }) => peakMb));
  const stall = Math.max(...processes.map(({ stallMs }) => stallMs));
  const own = Math.max(...processes.map(({ stallCpuMs }) => stallCpuMs));
  const wrong = lists.reduce((sum, list) => sum + list.wrong, 0);
  return [
    '',
    `## ${database}, ${shape}`,
    '',
    ...machineLines(machine),
    ...(sizes.csvRows === fullRows ? [] : [`- **at ${short(sizes.csvRows / fullRows)} of the size**`]),
    ...(version === undefined
      ? []
      : [`- PostgreSQL ${version} on the same machine, durable (\`fsync\` and \`synchronous_commit\` on)`]),
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
    `- longest stall of an event loop: **${short(stall)} ms** (goal: at most ${goals.stallMs}: ${stall <= goals.stallMs ? 'met' : 'not met'}), ${short(own)} ms of it processor time of its own at most`,
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
