/**
 * `npm run bench -- faults`: `mailproof drill` at full length, with its figures in a table. With `--write` the table is kept
 * beside the other results; `--quick` is a quick drill.
 */
import { goals, inSeconds, missedGoals } from '../../cli/src/drill/goals.ts';
import { asJson } from '../../cli/src/drill/present-drill.ts';
import { runDrill, type DrillResult } from '../../cli/src/drill/run-drill.ts';
import type { FaultReport } from '../../cli/src/drill/run-fault.ts';
import { describeMachine, machineLines, publish, readWish, table, tell, type Machine } from './results.ts';

export async function runFaults(args: string[]): Promise<number> {
  const wish = readWish(args, {});
  const machine = describeMachine();
  const stop = new AbortController();
  for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => stop.abort());
  const results = await runDrill({
    quick: wish.quick,
    path: process.env['PATH'] ?? '',
    signal: stop.signal,
    onProgress: () => undefined,
    onResult: (result) => tell((result.kind === 'done' ? result.report : result).fault),
  });
  const figures = { machine, faults: results.map(asJson) };
  publish({ name: 'faults', lines: describeFaults(results, machine), figures }, wish);
  return results.some((result) => result.kind === 'done' && result.missed.length > 0) ? 1 : 0;
}

function describeFaults(results: readonly DrillResult[], machine: Machine): string[] {
  const reports = results.flatMap((result) => (result.kind === 'done' ? [result.report] : []));
  return [
    '# Faults',
    '',
    'An API, a worker, two probers and PostgreSQL on one machine, in a mail internet on loopback, and a single process on SQLite for the last fault; 10 single verifications a second and two tasks during each fault, repeated as our client repeats them (`npm run bench -- faults`, which is `mailproof drill`).',
    '',
    'Times are in seconds: until `/readyz`, a metric and the log said it, from the beginning of the fault; and until singles were served again (90 % answered 200 within two seconds), from its end, or from the kill if one process is killed. A dash: nobody but a supervisor can say it there. Books are exact if the audit finds nothing and the ledger charged what the clients were told.',
    '',
    ...machineLines(machine),
    '',
    ...table(
      [
        'fault',
        'lasts',
        '`/readyz`',
        'metric',
        'log',
        'served again',
        'singles',
        'wrong',
        'false `unknown`',
        'books',
      ],
      results.map(rowOf),
    ),
    '',
    ...goalLines(reports),
  ];
}

function rowOf(result: DrillResult): string[] {
  if (result.kind === 'left_out')
    return [result.title, '', '', '', '', '', '', '', '', `left out: ${result.why}`];
  const { report } = result;
  const { title, seconds, told, books } = report;
  return [
    title,
    String(seconds),
    ...(['readyz', 'metric', 'log'] as const).map((kind) => toldAfter(report, kind)),
    report.servedAgainMs === null ? '**not**' : (report.servedAgainMs / 1_000).toFixed(1),
    String(told.singles),
    String(told.wrong.length),
    String(told.falseUnknown.length),
    books.exact ? 'exact' : '**not exact**',
  ];
}

function toldAfter({ signs }: FaultReport, kind: 'readyz' | 'metric' | 'log'): string {
  const sign = signs[kind];
  if (sign === undefined) return '–';
  return sign === null ? '**never**' : (sign.afterMs / 1_000).toFixed(1);
}

/** A goal with its worst figure. */
function goalLines(reports: readonly FaultReport[]): string[] {
  const worst = Math.max(...reports.map(({ servedAgainMs }) => servedAgainMs ?? Infinity));
  const sum = (count: (report: FaultReport) => number) => reports.reduce((all, one) => all + count(one), 0);
  const missed = reports.flatMap((report) => missedGoals(report).map((line) => `${report.fault}: ${line}`));
  return [
    `- singles served again after **${worst === Infinity ? 'more than was waited for' : inSeconds(worst)}** at most (goal: ${inSeconds(goals.servedAgainMs)})`,
    `- wrong answers: **${sum(({ told }) => told.wrong.length)}**, false \`unknown\`: **${sum(({ told }) => told.falseUnknown.length)}** of ${sum(({ told }) => told.singles)} singles and ${sum(({ told }) => told.tasks)} tasks (goal: 0)`,
    `- books: **${reports.every(({ books }) => books.exact) ? 'exact' : 'not exact'}** after every fault (goal: exact)`,
    ...missed.map((line) => `- missed: ${line}`),
  ];
}
