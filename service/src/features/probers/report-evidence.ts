import type { Clock, Remembered } from '@mailproof/engine';
import {
  mostRenewed,
  mostReported,
  renewProbesMs,
  type ProbeResult,
  type ProbeSource,
} from './probe-source.ts';
import { createRetryWaits } from './retry-waits.ts';

export type ReportingParts = {
  source: ProbeSource;
  clock: Clock;
  /** What was learnt since the last call, for probers that do not share the centre's store. */
  takeLearned?: () => Remembered[];
  random?: () => number;
  onProblem: (message: string, error: unknown) => void;
};

type ReporterParts = ReportingParts & {
  /** Ends the reports that are on their way. */
  signal: AbortSignal;
  /** Those of which something is under way. */
  leases: () => string[];
  /** Also told of what came too late for anybody. */
  onReported: (results: readonly ReadyResult[]) => void;
  /** Nobody waits any more for what is left of this lease. */
  onEnded: (lease: string) => void;
  /** No conversation is to be begun any more for this probe. */
  onWithdrawn: (probe: string) => void;
};

/** A result, and when on our clock a conversation took its probe, if one did. */
export type ReadyResult = Omit<ProbeResult, 'begunMsAgo'> & { begunAt: number | undefined };

/** So many on their way at once: what is ready meanwhile goes together with the next. */
const reportsAtOnce = 4;

/** Evidence whose report failed is kept for the length of a lease; after that others have been asked. */
const keptAfterFailureMs = 60_000;
const mostLearnedKept = 1_000;

/**
 * Reports evidence as soon as it is there, and renews leases. What could not be reported is sent again, together with
 * what has become ready since.
 */
export function createReporter(parts: ReporterParts) {
  const { source, clock, signal, onProblem } = parts;
  const ready = new Map<ReadyResult, number>();
  const waits = createRetryWaits(parts.random);
  let underWay = 0;
  let unsaid: Remembered[] = [];
  let cancelRetry: (() => void) | undefined;
  let cancelRenewal = clock.after(renewProbesMs, renew);

  function dropLate(): void {
    const late = [...ready].filter(([, deadline]) => deadline < clock.now()).map(([result]) => result);
    for (const result of late) ready.delete(result);
    if (late.length > 0) parts.onReported(late);
  }

  function keep(results: readonly ReadyResult[], learned: Remembered[]): void {
    unsaid = learned.slice(-mostLearnedKept);
    for (const result of results) ready.set(result, clock.now() + keptAfterFailureMs);
    cancelRetry ??= clock.after(waits.next(), () => {
      cancelRetry = undefined;
      sendReady();
    });
  }

  async function send(results: ReadyResult[], renewed: readonly string[]): Promise<void> {
    const learned = [...unsaid, ...(parts.takeLearned?.() ?? [])];
    unsaid = [];
    underWay += 1;
    try {
      const said = results.map((result) => datedResult(result, clock));
      const { ended, withdrawn } = await source.report({ results: said, learned, renew: renewed }, signal);
      waits.reset();
      parts.onReported(results);
      ended.forEach(parts.onEnded);
      withdrawn.forEach(parts.onWithdrawn);
    } catch (error) {
      if (signal.aborted) return;
      onProblem('evidence could not be reported; it is tried again', error);
      keep(results, learned);
    } finally {
      underWay -= 1;
      sendReady();
    }
  }

  function sendReady(): void {
    dropLate();
    while (!signal.aborted && cancelRetry === undefined && underWay < reportsAtOnce && ready.size > 0) {
      const results = ready.keys().take(mostReported).toArray();
      for (const result of results) ready.delete(result);
      void send(results, []);
    }
  }

  function renew(): void {
    const all = parts.leases();
    for (let from = 0; from < all.length && cancelRetry === undefined; from += mostRenewed)
      void send([], all.slice(from, from + mostRenewed));
    cancelRenewal = clock.after(renewProbesMs, renew);
  }

  return {
    add: (result: ReadyResult, deadline: number) => {
      ready.set(result, deadline);
      sendReady();
    },
    stop: () => {
      cancelRenewal();
      cancelRetry?.();
    },
  };
}

function datedResult({ begunAt, ...result }: ReadyResult, clock: Clock): ProbeResult {
  return begunAt === undefined ? result : { ...result, begunMsAgo: Math.floor(clock.now() - begunAt) };
}
