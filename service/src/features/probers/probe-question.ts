import { isIP } from 'node:net';
import { canonicalMailHost, parseAddress, type CanonicalHost, type Probe } from '@mailproof/engine';

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
