import { createListParser, trimAddress } from '@mailproof/engine';

export type SortedAddresses = {
  /** To be verified, in the order given, in the first spelling. */
  accepted: string[];
  duplicates: number;
  rejected: number;
};

/**
 * Trims, sets aside what is no address, and removes duplicates, in this order. Two addresses are the same if
 * local part and domain agree without regard to case; domains are compared as they go on the wire.
 */
export function sortAddresses(emails: readonly string[]): SortedAddresses {
  const parseAddress = createListParser();
  const spellings = new Map<string, string>();
  let rejected = 0;
  let duplicates = 0;
  for (const email of emails) {
    const parsed = parseAddress(trimAddress(email));
    if (parsed.kind === 'invalid') {
      rejected += 1;
      continue;
    }
    const { username, host } = parsed.address;
    const same = `${username.toLowerCase()}@${host}`;
    if (spellings.has(same)) duplicates += 1;
    else spellings.set(same, parsed.address.email);
  }
  return { accepted: [...spellings.values()], duplicates, rejected };
}
