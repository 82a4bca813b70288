import { examineHost, type ExaminedHost } from './examine-host.ts';
import type { SyntaxFault } from './address.ts';

export type ExaminedDomain =
  Extract<ExaminedHost, { kind: 'canonical' }> | { kind: 'refused'; fault: SyntaxFault };

/**
 * The domain of an address: a canonical host, and two rules more that would be too strict for the name of
 * a mail host, which may be whatever its own zone says.
 */
export function examineDomain(domain: string): ExaminedDomain {
  if (domain.startsWith('[')) return { kind: 'refused', fault: 'address_literal' };
  if (COMMENT_OR_FOLDING.test(domain)) return { kind: 'refused', fault: 'comment_or_folding' };
  const examined = examineHost(domain);
  if (examined.kind === 'refused') return examined;
  if (!TOP_LEVEL.test(examined.host) || hasReservedLabel(examined.host)) {
    return { kind: 'refused', fault: 'domain_invalid' };
  }
  return examined;
}

const COMMENT_OR_FOLDING = /[ ()]/;

/**
 * RFC 1123 section 2.1: the last label is alphabetic, which is what tells a name from an IP address.
 * An internationalised one stands there as its A-label. One letter has never been delegated.
 */
const TOP_LEVEL = /\.(?:[a-z]{2,}|xn--[^.]*)$/;

/**
 * RFC 5890 section 2.3.1: hyphens in the third and fourth place are reserved for encodings to come, and a
 * label with a prefix other than `xn--` must not be taken for an ordinary one.
 */
function hasReservedLabel(host: string): boolean {
  return host.includes('--') && host.split('.').some(isReserved);
}

function isReserved(label: string): boolean {
  return label.startsWith('--', 2) && !label.startsWith('xn--');
}
