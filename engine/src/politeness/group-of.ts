import { registrableDomain } from '../lists/domain-family.ts';
import { providerOf } from '../replies/providers.ts';

/**
 * What a mail host is counted under: its provider, or the domain somebody registered for it, or itself where
 * its name is a public suffix. Never the domain of a recipient: a thousand of those may share one host.
 */
export function groupOf(mailHost: string): string {
  return providerOf(mailHost)?.id ?? registrableDomain(mailHost) ?? mailHost;
}
