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
  /** Takes the facts learnt since the last call, for probers that do not share the centre's store. */
  takeLearned?: () => Remembered[];
  random?: () => number;
  onProblem: (message: string, error: unknown) => void;
};

type ReporterParts = ReportingParts & {
  /** Aborts reports that are being sent. */
  signal: AbortSignal;
  /** Returns the leases with open probes. */
  leases: () => string[];
  /** Called for late results too. */
  onReported: (results: readonly ReadyResult[]) => void;
  /** The lease has no open probe left. */
  onEnded: (lease: string) => void;
  /** No conversation may begin for this probe any more. */
  onWithdrawn: (probe: string) => void;
};

/** A result, and the time on our clock at which a conversation took its probe, if one did. */
export type ReadyResult = Omit<ProbeResult, 'begunMsAgo'> & { begunAt: number | undefined };

/** Reports sent at once; later results wait for the next report. */
const reportsAtOnce = 4;

/** Evidence whose report failed is kept for the length of a lease; after that other probers are asked. */
const keptAfterFailureMs = 60_000;
const mostLearnedKept = 1_000;

/**
 * Reports evidence as soon as it is ready, and renews leases. Failed reports are repeated together with newer results.
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
      onProblem('cannot report evidence; trying again', error);
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
