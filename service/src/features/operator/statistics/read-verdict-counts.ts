import { statement } from '../../../core/store/statement.ts';
import type { Store } from '../../../core/store/store.ts';
import type { WallClock } from '../../../core/store/wall-clock.ts';
import { keptSteps } from './verdict-counts.ts';

/** How verifications came out in the last hours, over time and in all. */
export type CountedVerdicts = {
  /** The oldest first, without gaps; a step in which nothing happened is empty. */
  steps: { beginsAt: number; stepMs: number; counts: Counts }[];
  /** The most frequent first. */
  totals: { outcome: string; reason: string; provider: string; verdicts: number }[];
};

export type Counts = Record<string, number>;

const minuteMs = 60_000;
/** Enough to see a curve, few enough to draw. */
const mostSteps = 100;
const stepsMinutes = [1, 2, 5, 10, 15, 30, 60, 120, 180, 360, 720];

type Span = { step: number; since: number };

const countOverTime = statement((db, arg: Span) =>
  db
    .selectFrom('verdict_count')
    .select(['begins_at', 'outcome', (eb) => eb.fn.sum<number>('verdicts').as('verdicts')])
    .where('step_ms', '=', arg.step)
    .where('begins_at', '>=', arg.since)
    .groupBy(['begins_at', 'outcome']),
);

const countInAll = statement((db, arg: Span) =>
  db
    .selectFrom('verdict_count')
    .select(['outcome', 'reason', 'provider', (eb) => eb.fn.sum<number>('verdicts').as('verdicts')])
    .where('step_ms', '=', arg.step)
    .where('begins_at', '>=', arg.since)
    .groupBy(['outcome', 'reason', 'provider']),
);

type ReadParts = { store: Pick<Store, 'read'>; wallClock: WallClock };

export async function readVerdictCounts(hours: number, parts: ReadParts): Promise<CountedVerdicts> {
  const now = parts.wallClock.now();
  const minutes = hours * 60;
  const stepMinutes = stepsMinutes.find((one) => minutes / one <= mostSteps) ?? 720;
  const stepMs = stepMinutes * minuteMs;
  const until = now - (now % stepMs) + stepMs;
  const since = until - Math.ceil(minutes / stepMinutes) * stepMs;
  const span = { step: finestStep(stepMs, now - since), since };
  const overTime = await parts.store.read.all(countOverTime, span);
  const inAll = await parts.store.read.all(countInAll, span);
  return {
    steps: foldIntoSteps(overTime, { since, until, stepMs }),
    totals: inAll.map((row) => ({ ...row })).sort((a, b) => b.verdicts - a.verdicts),
  };
}

/** The coarsest rows that the steps can be made of; there are fewer of them to read. */
function finestStep(stepMs: number, spanMs: number): number {
  const fit = keptSteps.filter((kept) => stepMs % kept.stepMs === 0 && kept.keptMs >= spanMs);
  return Math.max(...fit.map((kept) => kept.stepMs));
}

type TimeRow = { begins_at: number; outcome: string; verdicts: number };

function foldIntoSteps(rows: TimeRow[], span: { since: number; until: number; stepMs: number }) {
  const { since, until, stepMs } = span;
  const steps: CountedVerdicts['steps'] = [];
  for (let beginsAt = since; beginsAt < until; beginsAt += stepMs)
    steps.push({ beginsAt, stepMs, counts: {} });
  for (const { begins_at, outcome, verdicts } of rows) {
    const counts = steps[Math.floor((begins_at - since) / stepMs)]?.counts;
    if (counts !== undefined) counts[outcome] = (counts[outcome] ?? 0) + verdicts;
  }
  return steps;
}
