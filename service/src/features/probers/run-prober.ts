import type { Clock, MailboxEvidence, Patience, Prober } from '@mailproof/engine';
import { readQuestion } from './probe-question.ts';
import { mostLeased, type LeasedProbe, type ProbeResult } from './probe-source.ts';
import { createReporter, type ReadyResult, type ReportingParts } from './report-evidence.ts';
import { createPause, createRetryWaits } from './retry-waits.ts';

/**
 * The life of a prober, inside and outside the installation: lease probes, ask each, report what was said.
 *
 *     lease ──▶ prober.ask, side by side ──▶ report, together with what else is ready by then
 *       ▲                                      │
 *       └────────── as many as are free ───────┘     leases are renewed while anything of them is under way
 *
 * A probe that the centre withdraws goes back unasked, unless a conversation has taken it: then its answer is reported.
 * Evidence is kept until it is reported or its deadline is over, whatever becomes of the connection. A centre that does
 * not answer is tried again after waits that grow.
 */
type RunningProber = {
  /** Looks for probes now: the egress addresses have changed. */
  wake(): void;
  /** Probes under way, or answered and not yet reported. */
  underWay(): number;
  /** Leases no more and waits `drainMs` for what is under way; what is left then others may ask. */
  stop(drainMs?: number): Promise<void>;
};

type RunProberParts = ReportingParts & {
  prober: Prober;
  /** The egress addresses that this prober owns now; nothing is leased without any. */
  egress: () => readonly string[];
  limits?: Partial<ProberLimits>;
};

type ProberLimits = {
  /** Probes under way at once. */
  places: number;
  waitMs: number;
};

const usualLimits: ProberLimits = { places: mostLeased, waitMs: 25_000 };

/** A prober without an egress address looks again after that. */
const idleMs = 1_000;

export function runProber(parts: RunProberParts): RunningProber {
  const { source, onProblem } = parts;
  const limits = { ...usualLimits, ...parts.limits };
  const stopping = new AbortController();
  const cutOff = new AbortController();
  const work = createWork();
  const pause = createPause(parts.clock);
  const waits = createRetryWaits(parts.random);
  const reporter = createReporter({
    ...parts,
    signal: cutOff.signal,
    leases: work.leases,
    onReported: finish,
    onEnded: (lease) => work.end(lease),
    onWithdrawn: (probe) => work.withdraw(probe),
  });
  let leasing = new AbortController();
  let isUncertain = false;

  function finish(results: readonly Held[]): void {
    results.forEach(work.remove);
    pause.end();
  }

  function begin(leased: LeasedProbe): void {
    const { ended, withdrawn } = work.add(leased);
    const deadline = parts.clock.now() + leased.withinMs;
    const signal = AbortSignal.any([ended, cutOff.signal]);
    void ask(leased, { ...parts, patience: { deadline, signal, withdrawn } }).then((asked) => {
      const { probe, lease, fence } = leased;
      if (asked === undefined) finish([leased]);
      else reporter.add({ probe, lease, fence, ...asked }, deadline);
    });
  }

  async function leaseOnce(): Promise<void> {
    const egress = parts.egress();
    const places = Math.min(limits.places - work.size(), mostLeased);
    if (egress.length === 0 || places <= 0) return pause.begin(idleMs, stopping.signal);
    leasing = new AbortController();
    const signal = AbortSignal.any([leasing.signal, stopping.signal]);
    const order = { places, egress, waitMs: limits.waitMs };
    try {
      const probes = await source.lease(isUncertain ? { ...order, holding: work.leases() } : order, signal);
      isUncertain = false;
      waits.reset();
      probes.forEach(begin);
    } catch (error) {
      isUncertain = true;
      if (signal.aborted) return;
      onProblem('no probes could be leased; it is tried again', error);
      await pause.begin(waits.next(), stopping.signal);
    }
  }

  async function run(): Promise<void> {
    while (!stopping.signal.aborted) await leaseOnce();
  }

  const running = run();
  return {
    wake: () => {
      leasing.abort();
      pause.end();
    },
    underWay: work.size,
    stop: async (drainMs = 0) => {
      stopping.abort();
      await running;
      await work.empty(drainMs, parts.clock);
      cutOff.abort();
      reporter.stop();
    },
  };
}

type Held = Pick<ProbeResult, 'probe' | 'lease'>;

/** What is under way, by lease: a lease is over when its last probe is reported. */
function createWork() {
  const byLease = new Map<string, { ended: AbortController; probes: Set<string> }>();
  const withdrawals = new Map<string, AbortController>();
  let size = 0;
  let onEmpty: () => void = () => undefined;

  function remove({ probe, lease }: Held): void {
    const held = byLease.get(lease);
    if (held?.probes.delete(probe) !== true) return;
    withdrawals.delete(probe);
    size -= 1;
    if (held.probes.size === 0) byLease.delete(lease);
    if (size === 0) onEmpty();
  }

  return {
    /** The signals are aborted when the lease is lost, and when the probe is withdrawn. */
    add({ probe, lease }: Held): { ended: AbortSignal; withdrawn: AbortSignal } {
      const held = byLease.get(lease) ?? { ended: new AbortController(), probes: new Set() };
      byLease.set(lease, held);
      held.probes.add(probe);
      size += 1;
      const withdrawal = new AbortController();
      withdrawals.set(probe, withdrawal);
      return { ended: held.ended.signal, withdrawn: withdrawal.signal };
    },
    remove,
    withdraw: (probe: string) => withdrawals.get(probe)?.abort(),
    end: (lease: string) => byLease.get(lease)?.ended.abort(),
    leases: () => [...byLease.keys()],
    size: () => size,
    async empty(withinMs: number, clock: Clock): Promise<void> {
      if (size === 0) return;
      await new Promise<void>((resolve) => {
        const cancel = clock.after(withinMs, resolve);
        onEmpty = () => {
          cancel();
          resolve();
        };
      });
    },
  };
}

type AskParts = {
  prober: Prober;
  clock: Clock;
  patience: Required<Patience>;
  onProblem: RunProberParts['onProblem'];
};

type Asked = Pick<ReadyResult, 'evidence' | 'begunAt'>;

/**
 * `undefined` where nobody wants to know any more; evidence `null` for a defect, of ours or of the question. A probe that
 * is withdrawn and was not asked goes back without a conversation.
 */
async function ask(
  { question, asker, egress }: LeasedProbe,
  { prober, clock, patience, onProblem }: AskParts,
): Promise<Asked | undefined> {
  let begunAt: number | undefined;
  const onNamed = () => void (begunAt = clock.now());
  const read = readQuestion(question);
  if (read === undefined) {
    onProblem('a probe could not be read', undefined);
    return { evidence: null, begunAt };
  }
  try {
    const evidence = await prober.ask({ ...read, asker, egress, onNamed }, patience);
    return { evidence, begunAt };
  } catch (error) {
    if (patience.signal.aborted) return undefined;
    if (patience.withdrawn.aborted) return { evidence: notAsked, begunAt: undefined };
    onProblem('a probe failed', error);
    return { evidence: null, begunAt };
  }
}

/** Says that a probe is given back. Its asker has withdrawn it and looks no further than that no conversation took it. */
const notAsked: MailboxEvidence = {
  kind: 'no_answer',
  reason: 'smtp_timeout',
  meaning: undefined,
  connected: false,
  host: undefined,
  replies: [],
};
