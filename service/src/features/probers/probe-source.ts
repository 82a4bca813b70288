import {
  type Asker,
  type MailboxEvidence,
  type Remembered,
  canonicalMailHost,
  parseAddress,
  type CanonicalHost,
  type Probe,
} from '@mailproof/engine';
import { isIP } from 'node:net';

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

/**
 * A probe on its way to a prober: the address and its mail route, in a form that any program can read. The receiver
 * validates it like untrusted input.
 */
export type ProbeQuestion = {
  email: string;
  /** True if the domain has no MX record and its own address serves. */
  implicit: boolean;
  /** Every mail host in order of preference. */
  mx: string[];
  /** Number of these with the best preference; older programs omit it. */
  preferred?: number;
  /** The first whose name resolves, with its addresses. */
  first: { name: string; addresses: string[] };
  /** The mail hosts after the first. */
  further: string[];
};

export function writeQuestion({ address, route }: Pick<Probe, 'address' | 'route'>): ProbeQuestion {
  const { implicit, mxRecords: mx, preferred, first, further } = route;
  return { email: address.email, implicit, mx, preferred, first, further };
}

/** Returns `undefined` if no engine could have written the question. */
export function readQuestion(question: ProbeQuestion): Pick<Probe, 'address' | 'route'> | undefined {
  const parsed = parseAddress(question.email);
  const name = canonicalMailHost(question.first.name);
  const mxRecords = canonicalHosts(question.mx);
  const further = canonicalHosts(question.further);
  const { addresses } = question.first;
  if (parsed.kind === 'invalid' || name === undefined) return undefined;
  if (mxRecords === undefined || further === undefined || !addresses.every((address) => isIP(address) !== 0))
    return undefined;
  const first = { name, addresses };
  const { address } = parsed;
  // If absent, only the first counts as preferred: the answer of a backup decides less.
  const { implicit, preferred = 1 } = question;
  return { address, route: { kind: 'takes_mail', implicit, mxRecords, preferred, first, further } };
}

function canonicalHosts(names: readonly string[]): CanonicalHost[] | undefined {
  const hosts = names.flatMap((name) => canonicalMailHost(name) ?? []);
  return hosts.length === names.length ? hosts : undefined;
}
