import { registrableDomain } from '../lists/domain-family.ts';
import { providerOf } from '../replies/providers.ts';

/**
 * Returns the group that a mail host is counted under: its provider, or its registered domain, or itself if its name
 * is a public suffix. Never the domain of a recipient: a thousand of those may share one host.
 */
export function groupOf(mailHost: string): string {
  return providerOf(mailHost)?.id ?? registrableDomain(mailHost) ?? mailHost;
}
