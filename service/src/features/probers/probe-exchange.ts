import { randomUUID } from 'node:crypto';
import type { Clock, MailboxEvidence } from '@mailproof/engine';
import type { Tx } from '../../core/store/statement.ts';
import type { Store } from '../../core/store/store.ts';
import type { WallClock } from '../../core/store/wall-clock.ts';
import type { ProbeQuestion } from './probe-question.ts';
import {
  answerProbes,
  leaseProbes,
  probeStatements,
  renewProbeLeases,
  type LeasedRow,
} from './probe-rows.ts';
import {
  mostLeased,
  probeLeaseMs,
  type LeasedProbe,
  type LeaseOrder,
  type ProbeReport,
  type ProbeResult,
  type ProbeSource,
} from './probe-source.ts';

/**
 * The centre's side of handing out probes and taking evidence, for every prober that comes to this process. One that
 * finds nothing waits for a notice; a look every second makes up for those that were lost.
 */
export type ProbeExchange = {
  lease(order: HolderOrder, signal: AbortSignal): Promise<LeasedProbe[]>;
  /**
   * Which of the results counted, in which of the leases to be renewed nothing is left, and which probes of the holder
   * were withdrawn.
   */
  report(
    report: Pick<ProbeReport, 'results' | 'renew'> & { holder: string },
  ): Promise<{ counted: ProbeResult[]; ended: string[]; withdrawn: string[] }>;
  close: () => void;
};

type HolderOrder = LeaseOrder & {
  holder: string;
  /**
   * Whether the holder may have what was just leased to it, asked in the same transaction: it may have lost the right to
   * while it waited. Then everything is given back, and the waiting is over.
   */
  mayKeep?: (tx: Tx) => Promise<boolean>;
};

export type ProbeExchangeParts = {
  store: Pick<Store, 'read' | 'write' | 'notify' | 'listen'>;
  clock: Clock;
  wallClock: WallClock;
  onProblem: (message: string, error: unknown) => void;
};

/** New probes, and new evidence. */
export const probesChannel = 'mailproof_probes';
export const evidenceChannel = 'mailproof_evidence';

const lookEveryMs = 1_000;

export function createProbeExchange(parts: ProbeExchangeParts): ProbeExchange {
  const { store, clock, wallClock } = parts;
  const news = watchProbes(parts);

  /** `undefined` where the holder may not have it. */
  async function leaseNow(order: HolderOrder): Promise<LeasedProbe[] | undefined> {
    const now = wallClock.now();
    const lease = randomUUID();
    const request = {
      ...order,
      places: Math.min(order.places, mostLeased),
      lease,
      now,
      until: now + probeLeaseMs,
    };
    const rows = await store.write(async (tx) => {
      const leased = await leaseProbes(tx, request);
      if (leased.length === 0 || (await order.mayKeep?.(tx)) !== false) return leased;
      await renewProbeLeases(tx, { holder: order.holder, leases: [lease], until: 0 });
      return undefined;
    });
    return rows?.map((row) => presentLeased(row, lease, wallClock.now()));
  }

  /** A lease whose answer never arrived is nobody's: its probes need not wait until it ends. */
  async function freeLostLeases({ holder, holding }: HolderOrder): Promise<void> {
    if (holding === undefined) return;
    const arrived = new Set(holding);
    const rows = await store.read.all(probeStatements.findLeases, { holder });
    const lost = rows.flatMap(({ lease }) => (arrived.has(lease) ? [] : [lease]));
    if (lost.length > 0) await store.write((tx) => renewProbeLeases(tx, { holder, leases: lost, until: 0 }));
  }

  return {
    async lease(order, signal) {
      const until = clock.now() + order.waitMs;
      await freeLostLeases(order);
      for (;;) {
        const waiting = news.follow(order.egress);
        try {
          const probes = signal.aborted ? [] : await leaseNow(order);
          if (probes === undefined) return [];
          if (probes.length > 0) return probes;
          if (!(await waiting.hear(until - clock.now(), signal))) return [];
        } finally {
          waiting.end();
        }
      }
    },
    async report({ holder, results, renew }) {
      const now = wallClock.now();
      const until = now + probeLeaseMs;
      const answers = results.map((result) => answerOf(result, { holder, now }));
      const { counted, ended, withdrawn } = await store.write(async (tx) => ({
        counted: await answerProbes(tx, answers),
        ended: await renewProbeLeases(tx, { holder, leases: renew, until }),
        withdrawn: await tx.all(probeStatements.findWithdrawn, { holder, limit: mostLeased }),
      }));
      if (counted.length > 0) store.notify(evidenceChannel);
      const ids = new Set(counted.map(({ id }) => id));
      return {
        counted: results.filter(({ probe }) => ids.has(probe)),
        ended,
        withdrawn: withdrawn.map(({ id }) => id),
      };
    },
    close: news.close,
  };
}

/**
 * Writes down evidence, and when its conversation began: an asker that has withdrawn the probe takes no answer of a later
 * one. The time on the way makes it look later than it was, never earlier.
 */
function answerOf(
  { probe: id, lease, fence, evidence, begunMsAgo }: ProbeResult,
  { holder, now }: { holder: string; now: number },
) {
  const begun = begunMsAgo === undefined ? {} : { begunAt: now - begunMsAgo };
  const written: WrittenEvidence | null = evidence && { ...evidence, ...begun };
  return { id, holder, lease, fence, evidence: written === null ? null : JSON.stringify(written) };
}

/** Evidence as it stands in a row. Without `begunAt` it is not known whether a conversation was begun. */
export type WrittenEvidence = MailboxEvidence & { begunAt?: number };

/** What a process of the installation leases from and reports to. What it learns is in the store already. */
export function createStoreSource(exchange: ProbeExchange, holder: string): ProbeSource {
  return {
    lease: (order, signal) => exchange.lease({ ...order, holder }, signal),
    report: async ({ results, renew }) => exchange.report({ holder, results, renew }),
  };
}

function presentLeased(row: LeasedRow, lease: string, now: number): LeasedProbe {
  const { id: probe, fence, urgency, tag, egress, question, deadline_at: deadlineAt } = row;
  return {
    probe,
    lease,
    fence,
    egress,
    // Written by `writeQuestion`; the prober reads it as a stranger's all the same.
    question: JSON.parse(question) as ProbeQuestion,
    asker: { urgency: urgency === 0 ? 'single' : 'bulk', account: tag },
    withinMs: Math.max(0, deadlineAt - now),
  };
}

type Waiter = { egress: ReadonlySet<string>; tell: () => void };

/**
 * Tells those who wait when something is to be asked from their egress addresses. One look at the store serves all of
 * them, so that a probe wakes the prober that it is for and no other.
 */
function watchProbes({ store, clock, wallClock, onProblem }: ProbeExchangeParts) {
  const waiters = new Set<Waiter>();
  let cancelPoll: (() => void) | undefined;
  let looking = false;
  let lookAgain = false;

  async function look(): Promise<void> {
    const asked = await store.read.all(probeStatements.findAsked, { now: wallClock.now() });
    const names = new Set(asked.map(({ egress }) => egress));
    for (const waiter of waiters) if (!waiter.egress.isDisjointFrom(names)) waiter.tell();
  }

  function lookSoon(): void {
    if (waiters.size === 0) return;
    if (looking) {
      lookAgain = true;
      return;
    }
    looking = true;
    void look()
      .catch((error: unknown) => onProblem('waiting probes could not be looked for', error))
      .finally(() => {
        looking = false;
        if (lookAgain) lookSoon();
        lookAgain = false;
      });
  }

  function poll(): void {
    cancelPoll = undefined;
    lookSoon();
    if (waiters.size > 0) cancelPoll = clock.after(lookEveryMs, poll);
  }

  const stopListening = store.listen(probesChannel, lookSoon);
  return {
    /** Nothing is missed from now until the end. */
    follow(egress: readonly string[]) {
      const heard = Promise.withResolvers<boolean>();
      const waiter: Waiter = { egress: new Set(egress), tell: () => heard.resolve(true) };
      waiters.add(waiter);
      cancelPoll ??= clock.after(lookEveryMs, poll);
      return {
        async hear(ms: number, signal: AbortSignal): Promise<boolean> {
          const giveUp = () => heard.resolve(false);
          const cancel = clock.after(Math.max(0, ms), giveUp);
          signal.addEventListener('abort', giveUp, { once: true });
          try {
            return !signal.aborted && (await heard.promise);
          } finally {
            cancel();
            signal.removeEventListener('abort', giveUp);
          }
        },
        end: () => void waiters.delete(waiter),
      };
    },
    close: () => {
      stopListening();
      cancelPoll?.();
    },
  };
}
