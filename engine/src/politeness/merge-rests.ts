/**
 * Merges the reports of two engines about one host or group. The order of the reports does not matter, nor whether
 * they come twice or in pieces: the longer rest holds, the slower pace, and the later count of failures.
 *
 * Times are points on the clock of the engine that merges.
 */
export type RestNews = {
  /** When the counts were taken. */
  at: number;
  rest: { until: number; reason: string } | undefined;
  slow: { perMinute: number; until: number } | undefined;
  failures: number;
  silences: number;
};

export function mergeRests(one: RestNews, other: RestNews): RestNews {
  return {
    rest: longerRest(one.rest, other.rest),
    slow: slowerPace(one.slow, other.slow),
    ...laterCounts(one, other),
  };
}

function longerRest(one: RestNews['rest'], other: RestNews['rest']): RestNews['rest'] {
  if (one === undefined || other === undefined) return one ?? other;
  if (one.until !== other.until) return one.until > other.until ? one : other;
  return one.reason > other.reason ? one : other;
}

function slowerPace(one: RestNews['slow'], other: RestNews['slow']): RestNews['slow'] {
  if (one === undefined || other === undefined) return one ?? other;
  return {
    perMinute: Math.min(one.perMinute, other.perMinute),
    until: Math.max(one.until, other.until),
  };
}

function laterCounts(one: RestNews, other: RestNews): Pick<RestNews, 'at' | 'failures' | 'silences'> {
  if (one.at !== other.at) {
    const { at, failures, silences } = one.at > other.at ? one : other;
    return { at, failures, silences };
  }
  return {
    at: one.at,
    failures: Math.max(one.failures, other.failures),
    silences: Math.max(one.silences, other.silences),
  };
}
