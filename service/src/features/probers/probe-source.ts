import type { Asker, MailboxEvidence, Remembered } from '@mailproof/engine';
import type { ProbeQuestion } from './probe-question.ts';

/**
 * The source of probes and receiver of results. A process of the installation uses the store, an outside prober HTTPS.
 * Times are durations, so that clocks need not agree.
 */
export type ProbeSource = {
  /** Waits until there is a probe, `waitMs` at most; returns an empty array if there is none. */
  lease(order: LeaseOrder, signal: AbortSignal): Promise<LeasedProbe[]>;
  /** Reports results. Repeating a report changes nothing: each lease of a probe is answered once. */
  report(report: ProbeReport, signal: AbortSignal): Promise<ReportAnswer>;
};

export type LeaseOrder = {
  /** Number of further probes that the prober can take. */
  places: number;
  /** The egress addresses that the prober owns. */
  egress: readonly string[];
  waitMs: number;
  /**
   * All leases of the prober, sent after a request whose answer did not arrive. Any other lease was lost on its way,
   * and its probes may be leased again.
   */
  holding?: readonly string[];
};

export type LeasedProbe = {
  probe: string;
  /** Shared by all probes that were leased together; the lease is renewed by this id. */
  lease: string;
  /** Grows with each lease of the probe: an answer with an older fence is ignored. */
  fence: number;
  /** One of the egress addresses in the order. */
  egress: string;
  question: ProbeQuestion;
  asker: Asker;
  withinMs: number;
};

export type ProbeResult = {
  probe: string;
  lease: string;
  fence: number;
  /** `null` if the prober failed: a defect that says nothing about the mailbox. */
  evidence: MailboxEvidence | null;
  /** Age of the conversation that took the probe; absent if there was none, or from an older prober. */
  begunMsAgo?: number;
};

export type ProbeReport = {
  results: readonly ProbeResult[];
  /** Facts learnt about hosts and providers; empty if prober and centre share a store. */
  learned: readonly Remembered[];
  /** Leases with open probes. */
  renew: readonly string[];
};

export type ReportAnswer = {
  /** Renewed leases that have no open probe left. */
  ended: readonly string[];
  /** Leased probes for which no conversation may begin any more: their list was paused. */
  withdrawn: readonly string[];
};

/** Duration of a lease, and the interval of its renewal. */
export const probeLeaseMs = 60_000;
export const renewProbesMs = 15_000;

/** Probes per lease, results per report, and leases renewed per report. */
export const mostLeased = 500;
export const mostReported = 200;
export const mostRenewed = 500;
