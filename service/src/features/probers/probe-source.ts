import type { Asker, MailboxEvidence, Remembered } from '@mailproof/engine';
import type { ProbeQuestion } from './probe-question.ts';

/**
 * Where a prober gets its probes from and what it tells of them: the store for a process of the installation, HTTPS for
 * a prober outside. Times are durations, so that clocks need not agree.
 */
export type ProbeSource = {
  /** Waits until there is something to ask, `waitMs` at most; then the answer holds nothing. */
  lease(order: LeaseOrder, signal: AbortSignal): Promise<LeasedProbe[]>;
  /** Saying the same again changes nothing: each lease of a probe is answered once. */
  report(report: ProbeReport, signal: AbortSignal): Promise<ReportAnswer>;
};

export type LeaseOrder = {
  /** So many probes more may be under way. */
  places: number;
  /** The egress addresses that the prober owns. */
  egress: readonly string[];
  waitMs: number;
  /**
   * All leases that the prober has, where it cannot know whether another was on its way to it: after a request whose
   * answer did not arrive. What was leased beside these is lost, and may be leased again.
   */
  holding?: readonly string[];
};

export type LeasedProbe = {
  probe: string;
  /** What was leased together has the same; it is renewed by this name. */
  lease: string;
  /** Grows each time that the probe is leased: an answer under an older one counts for nothing. */
  fence: number;
  /** One of those that were told in the order. */
  egress: string;
  question: ProbeQuestion;
  asker: Asker;
  withinMs: number;
};

export type ProbeResult = {
  probe: string;
  lease: string;
  fence: number;
  /** `null` where the prober failed, which is a defect and says nothing about the mailbox. */
  evidence: MailboxEvidence | null;
  /** How long ago a conversation took the probe; nothing if none did, or if an older prober reports. */
  begunMsAgo?: number;
};

export type ProbeReport = {
  results: readonly ProbeResult[];
  /** What was learnt of hosts and providers; nothing where prober and centre share a store. */
  learned: readonly Remembered[];
  /** Leases whose probes are still under way. */
  renew: readonly string[];
};

export type ReportAnswer = {
  /** Of the leases to be renewed, those in which nothing is left to ask. */
  ended: readonly string[];
  /** Probes that the prober holds and that no conversation is to be begun for any more: their list was paused. */
  withdrawn: readonly string[];
};

/** How long a lease lasts unless it is renewed, and when that is done. */
export const probeLeaseMs = 60_000;
export const renewProbesMs = 15_000;

/** Probes in one lease, results in one report, and leases renewed by one. */
export const mostLeased = 500;
export const mostReported = 200;
export const mostRenewed = 500;
