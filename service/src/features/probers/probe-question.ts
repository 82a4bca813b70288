import { isIP } from 'node:net';
import { canonicalMailHost, parseAddress, type CanonicalHost, type Probe } from '@mailproof/engine';

/**
 * A probe on its way to a prober: the address and where its mail goes, in words that any program can read. Who receives
 * one reads it as if a stranger had written it.
 */
export type ProbeQuestion = {
  email: string;
  /** True where the domain has no MX record and its own address serves. */
  implicit: boolean;
  /** Every mail host in order of preference. */
  mx: string[];
  /** How many of these have the best preference; older programs do not say. */
  preferred?: number;
  /** The first whose name resolves, with its addresses. */
  first: { name: string; addresses: string[] };
  /** Those after it. */
  further: string[];
};

export function writeQuestion({ address, route }: Pick<Probe, 'address' | 'route'>): ProbeQuestion {
  const { implicit, mxRecords: mx, preferred, first, further } = route;
  return { email: address.email, implicit, mx, preferred, first, further };
}

/** `undefined` where it is no question that an engine could have written. */
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
  // If it is not said, only the first counts as preferred: a backup decides less.
  const { implicit, preferred = 1 } = question;
  return { address, route: { kind: 'takes_mail', implicit, mxRecords, preferred, first, further } };
}

function canonicalHosts(names: readonly string[]): CanonicalHost[] | undefined {
  const hosts = names.flatMap((name) => canonicalMailHost(name) ?? []);
  return hosts.length === names.length ? hosts : undefined;
}
