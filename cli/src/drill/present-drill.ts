import { goals, inSeconds, places, servedAgain } from './goals.ts';
import type { DrillResult } from './run-drill.ts';
import type { FaultReport } from './run-fault.ts';

/** A result for people. */
export function describeResult(result: DrillResult, mark: (ok: boolean, text: string) => string): string {
  if (result.kind === 'left_out') return `${result.fault}: ${result.title}\n  left out  ${result.why}\n\n`;
  const { report, missed } = result;
  const { fault, title, signs, told, books } = report;
  const lines = [
    ...Object.entries(signs).map(([kind, sign]) =>
      line(
        places[kind] ?? kind,
        sign === null ? 'did not tell' : `after ${inSeconds(sign.afterMs)}: ${sign.said}`,
      ),
    ),
    line('singles', `${servedAgain(report.servedAgainMs)}; ${answersOf(report)}`),
    line('tasks', `${told.completedTasks} of ${told.tasks} completed`),
    line('books', describeBooks(report)),
    line('goals', missed.length === 0 ? mark(true, 'met') : mark(false, `missed: ${missed.join('; ')}`)),
    ...[...told.wrong, ...told.falseUnknown]
      .slice(0, 5)
      .map((one) => line('', `${one.email} is ${one.truth}, told ${one.told} ${one.reason ?? ''}`)),
    ...books.violations.slice(0, 5).map((violation) => line('', JSON.stringify(violation))),
  ];
  return `${fault}: ${title}\n${lines.join('')}\n`;
}

function line(what: string, text: string): string {
  return `  ${what.padEnd(8)}  ${text}\n`;
}

function answersOf({ told }: FaultReport): string {
  const { singles, answered, refused, wrong, falseUnknown } = told;
  return `${singles} asked, ${answered} answered, ${refused} refused (502, 504), ${wrong.length} wrong, ${falseUnknown.length} false unknown`;
}

function describeBooks({ books: { exact, violations, told, spent, reserved } }: FaultReport): string {
  if (exact) return `exact: ${spent} credits charged, as the callers were told`;
  return `not exact: callers were told ${told} credits, the ledger says ${spent}, ${reserved} are reserved; ${violations.length} violations`;
}

/** The last line of a drill. */
export function describeEnd(results: readonly DrillResult[]): string {
  const done = results.filter((result) => result.kind === 'done');
  const missed = done.filter((result) => result.missed.length > 0).map(({ report }) => report.fault);
  const leftOut = results.length - done.length;
  const all = `${done.length} faults${leftOut === 0 ? '' : `, ${leftOut} left out`}`;
  const wanted = `told, singles served again within ${goals.servedAgainMs / 1_000} s, no wrong answer, no false unknown, books exact`;
  return missed.length === 0
    ? `${all}: every goal met (${wanted})\n`
    : `${all}: goals missed by ${missed.join(', ')} (goals: ${wanted})\n`;
}

/** A result for programs. */
export function asJson(result: DrillResult): object {
  if (result.kind === 'left_out') return { fault: result.fault, title: result.title, left_out: result.why };
  const { report, missed } = result;
  const { fault, title, seconds, signs, told, books } = report;
  return {
    fault,
    title,
    lasted_s: seconds,
    told: Object.fromEntries(
      Object.entries(signs).map(([kind, sign]) => [
        kind,
        sign === null ? null : { after_s: rounded(sign.afterMs), said: sign.said },
      ]),
    ),
    served_before: report.servedBefore,
    served_again_s: report.servedAgainMs === null ? null : rounded(report.servedAgainMs),
    singles: {
      asked: told.singles,
      answered: told.answered,
      refused: told.refused,
      unanswered: told.unanswered,
    },
    tasks: { created: told.tasks, completed: told.completedTasks },
    wrong: told.wrong,
    false_unknown: told.falseUnknown,
    books,
    missed,
    by_second: report.bySecond,
  };
}

function rounded(ms: number): number {
  return Math.round(ms / 100) / 10;
}
