import type { Terminal } from '../terminal.ts';
import type { Answer } from './answer.ts';

/** Redrawing more often than this is noise to the eye and work for the terminal. */
const redrawEveryMs = 100;

type Tally = { count(answer: Answer): void; total(): number; errors(): number; summary(): string };

/** Counts the answers and keeps the progress line, `known` being how many there will be, where that is known. */
export function createTally(
  known: number | undefined,
  { terminal, now }: { terminal: Terminal; now: () => number },
): Tally {
  const counts = new Map<string, number>();
  let total = 0;
  let errors = 0;
  let drawnAt = -Infinity;

  function summary(): string {
    const parts = [...counts].sort(([, a], [, b]) => b - a).map(([name, count]) => `${count} ${name}`);
    const done = known === undefined ? String(total) : `${total} of ${known}`;
    return `${done} done: ${parts.join(', ')}`;
  }

  return {
    count(answer) {
      const name =
        answer.kind === 'verdict' ? answer.verdict.status : answer.error.replace('verification_', '');
      counts.set(name, (counts.get(name) ?? 0) + 1);
      total += 1;
      if (answer.kind === 'error') errors += 1;
      const at = now();
      if (at - drawnAt < redrawEveryMs) return;
      drawnAt = at;
      terminal.progress(summary().slice(0, terminal.columns - 1));
    },
    total: () => total,
    errors: () => errors,
    summary,
  };
}
