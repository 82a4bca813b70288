import { counted, grouped } from '../present/count.ts';
import type { Terminal } from '../terminal.ts';

/** Redrawing more often than this is noise to the eye; a log wants far less. */
const redrawEveryMs = 100;
const tellEveryMs = 10_000;
const barCells = 20;

type ProgressParts = { terminal: Terminal; now: () => number };

/** Shows how far a check is: a progress bar on a terminal, a line every ten seconds elsewhere. */
export function createProgressDisplay(
  { total, before }: { total: number; before: number },
  { terminal, now }: ProgressParts,
) {
  const startedAt = now();
  let shownAt = terminal.watched ? -Infinity : startedAt;
  return {
    show(answered: number): void {
      const elapsedMs = now() - startedAt;
      if (now() - shownAt < (terminal.watched ? redrawEveryMs : tellEveryMs)) return;
      shownAt = now();
      const line = progressLine({
        total,
        answered,
        perSecond: (answered - before) / (elapsedMs / 1_000 || 1),
      });
      if (terminal.watched)
        terminal.progress(`${bar(answered / total)} ${line}`.slice(0, terminal.columns - 1));
      else terminal.tell(line);
    },
    end: () => terminal.progress(''),
  };
}

type ProgressFigures = { total: number; answered: number; perSecond: number };

export function progressLine({ total, answered, perSecond }: ProgressFigures): string {
  const percent = Math.floor((100 * answered) / total);
  const left = perSecond > 0 ? `, ${duration((total - answered) / perSecond)} left` : '';
  const rate = perSecond >= 10 ? perSecond.toFixed(0) : perSecond.toFixed(1);
  return `${percent} %  ${grouped(answered)} of ${counted(total, 'address', 'addresses')}, ${rate} per second${left}`;
}

function bar(share: number): string {
  const full = Math.min(Math.floor(share * barCells), barCells);
  return `[${'#'.repeat(full)}${' '.repeat(barCells - full)}]`;
}

/** In the two largest units that matter. */
export function duration(seconds: number): string {
  const whole = Math.max(Math.round(seconds), 0);
  if (whole < 60) return `${whole} s`;
  if (whole < 3_600) return `${Math.floor(whole / 60)} min ${whole % 60} s`;
  return `${Math.floor(whole / 3_600)} h ${Math.floor((whole % 3_600) / 60)} min`;
}
