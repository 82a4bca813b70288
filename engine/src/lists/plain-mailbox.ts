import type { Address } from '../syntax/address.ts';
import { isAscii } from '../syntax/is-ascii.ts';
import { lowerCase } from '../syntax/lower-case.ts';
import { withoutNeedlessQuotes } from '../syntax/needless-quotes.ts';

/**
 * An address in the form in which lists compare it: local part without needless quotes and without regard
 * to case, domain in its ASCII form.
 *
 * RFC 5321 section 2.4 lets a host tell `Ann` from `ann`; hardly one does, and a list that could be walked
 * round with a capital letter would be none.
 */
export function plainMailbox(address: Address): string {
  return `${plainLocalPart(address.localPart)}@${address.host}`;
}

export function plainLocalPart(localPart: string): string {
  const normal = isAscii(localPart) ? localPart : localPart.normalize('NFC');
  return lowerCase(withoutNeedlessQuotes(normal));
}
