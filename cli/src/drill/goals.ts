import type { FaultReport } from './run-fault.ts';

/** The goals for every fault. */
export const goals = { servedAgainMs: 10_000, wrong: 0, falseUnknown: 0 };

/** A line for each goal that was missed. */
export function missedGoals(
  { signs, servedBefore, servedAgainMs, told, books }: FaultReport,
  { servedWithinMs = goals.servedAgainMs }: { servedWithinMs?: number } = {},
): string[] {
  const untold = Object.entries(signs).flatMap(([kind, sign]) =>
    sign === null ? [places[kind] ?? kind] : [],
  );
  const isLate = servedAgainMs === null || servedAgainMs > servedWithinMs;
  return [
    ...(servedBefore ? [] : ['singles were not served even before it: the machine is too busy']),
    ...(untold.length > 0 ? [`not told by ${untold.join(', ')}`] : []),
    ...(isLate ? [`singles were ${servedAgain(servedAgainMs)}`] : []),
    ...(told.wrong.length > goals.wrong ? [`${told.wrong.length} wrong answers`] : []),
    ...(told.falseUnknown.length > goals.falseUnknown ? [`${told.falseUnknown.length} false unknown`] : []),
    ...(told.unanswered > 0 ? [`${told.unanswered} callers without an answer`] : []),
    ...(told.completedTasks < told.tasks
      ? [`${told.tasks - told.completedTasks} tasks were not completed`]
      : []),
    ...(books.exact ? [] : ['the books are not exact']),
  ];
}

export const places: Readonly<Record<string, string>> = { readyz: '/readyz', metric: 'metric', log: 'log' };

export function servedAgain(ms: number | null): string {
  return ms === null ? 'not served again' : `served again after ${inSeconds(ms)}`;
}

export function inSeconds(ms: number): string {
  return `${(ms / 1_000).toFixed(1)} s`;
}
