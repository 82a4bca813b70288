import type { CanonicalHost } from './address.ts';
import { examineHost } from './examine-host.ts';

/**
 * The form of a host name that may reach DNS, a cache, a log or an SMTP command, or nothing if it has none.
 *
 * For names that come from elsewhere, MX targets above all: a resolver hands on whatever bytes a zone
 * holds. The caller takes off the trailing dot of a name in master-file form; here a dot too many is refused.
 */
export function canonicalHost(name: string): CanonicalHost | undefined {
  const examined = examineHost(name);
  return examined.kind === 'canonical' ? examined.host : undefined;
}

/**
 * The same for a mail host, whose name may hold underscores: no host name has any (RFC 1123 section 2.1), but mail is
 * sent to `_dc-mx.…` every day, as Cloudflare names the mail host of a domain whose MX is a proxied name.
 */
export function canonicalMailHost(name: string): CanonicalHost | undefined {
  if (!name.includes('_')) return canonicalHost(name);
  const plain = canonicalHost(name.replaceAll('_', 'x'));
  const isAsWritten = plain === name.toLowerCase().replaceAll('_', 'x');
  // Lower case and every rule but one have been seen to.
  return isAsWritten ? (name.toLowerCase() as CanonicalHost) : undefined;
}
