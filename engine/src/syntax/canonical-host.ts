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
