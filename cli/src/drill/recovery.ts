import type { Attempt } from './callers.ts';

/** The share of requests that must be answered, over a window of this length, for singles to count as served. */
const goodShare = 0.9;
const windowMs = 2_000;
const stepMs = 250;
/**
 * A later answer counts as none, because the caller has left. A mail host of the drill answers within a tenth of it.
 */
const promptMs = 2_000;

type Watched = { attempts: readonly Attempt[]; from: number; until: number };

/**
 * How long after `from` singles were served again, and stayed so until `until`: from that moment on 90 % of the requests
 * of every two seconds were answered 200 within two seconds. `undefined` if that never came.
 */
export function servedAgainMs({ attempts, from, until }: Watched): number | undefined {
  let since: number | undefined;
  for (let begin = from; begin + windowMs <= until; begin += stepMs) {
    const inWindow = attempts.filter(({ begunAt }) => begunAt >= begin && begunAt < begin + windowMs);
    const good = inWindow.filter(isPrompt);
    const isGood = inWindow.length > 0 && good.length >= goodShare * inWindow.length;
    since = isGood ? (since ?? good[0]?.begunAt) : undefined;
  }
  return since === undefined ? undefined : since - from;
}

function isPrompt({ begunAt, answeredAt, status }: Attempt): boolean {
  return status === 200 && answeredAt !== undefined && answeredAt - begunAt <= promptMs;
}

/** The requests that began in one second of a fault, by what came of them. */
export type Second = {
  second: number;
  asked: number;
  prompt: number;
  late: number;
  failed: Record<string, number>;
};

/** The results of the requests in each second, counted from `from`. */
export function secondsOf({ attempts, from }: Pick<Watched, 'attempts' | 'from'>): Second[] {
  const bySecond = Map.groupBy(attempts, ({ begunAt }) => Math.floor((begunAt - from) / 1_000));
  return [...bySecond].map(([second, all]) => {
    const failed: Record<string, number> = {};
    for (const { status } of all) {
      if (status === 200) continue;
      const what = String(status ?? 'no answer');
      failed[what] = (failed[what] ?? 0) + 1;
    }
    const prompt = all.filter(isPrompt).length;
    const answered = all.filter(({ status }) => status === 200).length;
    return { second, asked: all.length, prompt, late: answered - prompt, failed };
  });
}

/** Requests begun after this moment may still be answered in time, so they decide nothing yet. */
export function decidedUntil(now: number): number {
  return now - promptMs;
}
