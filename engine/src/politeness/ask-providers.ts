import { providerTable, type ProviderId } from '../replies/providers.ts';
import { builtInPolicies } from './built-in-policies.ts';

/**
 * The providers that are asked at all (`MAILPROOF_ASK_PROVIDERS`): `all`, `permitted` for all but those whose
 * published policy forbids verification without sending, or the providers to leave out, each after a minus sign.
 */
export const askProvidersMayBe =
  'all, permitted (leaves out providers whose policy forbids verification), or providers to leave out such as -outlook,-microsoft';

const ids: ReadonlySet<string> = new Set(providerTable.map(({ id }) => id));

/** Providers whose published policy forbids verification without sending. */
export const forbiddingProviders: readonly ProviderId[] = builtInPolicies.flatMap(
  ({ group, forbidsVerification }) => (forbidsVerification === true && isProvider(group) ? [group] : []),
);

/** Returns the providers to leave out; nothing for a text that cannot be read. */
export function parseAskProviders(text: string): ProviderId[] | undefined {
  if (text === 'all') return [];
  if (text === 'permitted') return [...forbiddingProviders];
  const names = text.split(',').map((item) => item.trim());
  const leftOut = names.map((name) => name.slice(1)).filter(isProvider);
  const isWellFormed = names.every((name) => name.startsWith('-')) && leftOut.length === names.length;
  return isWellFormed ? leftOut : undefined;
}

function isProvider(name: string): name is ProviderId {
  return ids.has(name);
}
