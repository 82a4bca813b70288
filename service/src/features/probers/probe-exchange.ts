import { randomUUID } from 'node:crypto';
import type { Clock, MailboxEvidence } from '@mailproof/engine';
import type { Tx } from '../../core/store/statement.ts';
import type { Store } from '../../core/store/store.ts';
import type { WallClock } from '../../core/store/wall-clock.ts';
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
  type ProbeQuestion,
} from './probe-source.ts';

/**
 * The centre's side of leasing probes and taking evidence, for every prober connected to this process. A prober that
 * finds no probe waits for a notice; a poll every second covers lost notices.
 */
export type ProbeExchange = {
  lease(order: HolderOrder, signal: AbortSignal): Promise<LeasedProbe[]>;
  /** Returns the results that counted, the renewed leases that are empty, and the holder's withdrawn probes. */
  report(
    report: Pick<ProbeReport, 'results' | 'renew'> & { holder: string },
  ): Promise<{ counted: ProbeResult[]; ended: string[]; withdrawn: string[] }>;
  close: () => void;
};

type HolderOrder = LeaseOrder & {
  holder: string;
  /**
   * Tells whether the holder may keep its new lease, in the same transaction: it may have lost the right while waiting.
   * If not, all probes are returned and the wait ends.
   */
  mayKeep?: (tx: Tx) => Promise<boolean>;
};

export type ProbeExchangeParts = {
  store: Pick<Store, 'read' | 'write' | 'notify' | 'listen'>;
  clock: Clock;
  wallClock: WallClock;
  onProblem: (message: string, error: unknown) => void;
};

/** Channels for new probes and for new evidence. */
export const probesChannel = 'mailproof_probes';
export const evidenceChannel = 'mailproof_evidence';

const lookEveryMs = 1_000;

export function createProbeExchange(parts: ProbeExchangeParts): ProbeExchange {
  const { store, clock, wallClock } = parts;
  const news = watchProbes(parts);

  /** Returns `undefined` if the holder may not lease. */
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

  /** Frees leases whose answer never arrived, so that their probes need not wait until they end. */
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
 * Writes evidence with the time its conversation began: an asker that withdrew the probe ignores answers of later
 * conversations. Transport makes that time too late, never too early.
 */
function answerOf(
  { probe: id, lease, fence, evidence, begunMsAgo }: ProbeResult,
  { holder, now }: { holder: string; now: number },
) {
  const begun = begunMsAgo === undefined ? {} : { begunAt: now - begunMsAgo };
  const written: WrittenEvidence | null = evidence && { ...evidence, ...begun };
  return { id, holder, lease, fence, evidence: written === null ? null : JSON.stringify(written) };
}

/** Evidence as stored in a row. Without `begunAt` it is unknown whether a conversation began. */
export type WrittenEvidence = MailboxEvidence & { begunAt?: number };

/** Creates the source for a process of the installation. Facts that it learns are in the store already. */
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
    // Written by `writeQuestion`; the prober validates it all the same.
    question: JSON.parse(question) as ProbeQuestion,
    asker: { urgency: urgency === 0 ? 'single' : 'bulk', account: tag },
    withinMs: Math.max(0, deadlineAt - now),
  };
}

type Waiter = { egress: ReadonlySet<string>; tell: () => void };

/**
 * Wakes waiting probers when a probe arrives for their egress addresses. One query serves all, so that a probe wakes
 * only the prober it is for.
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
      .catch((error: unknown) => onProblem('cannot look for waiting probes; trying again', error))
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
    /** From here to the end, no notice is missed. */
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
