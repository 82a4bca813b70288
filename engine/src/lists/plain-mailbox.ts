import type { Address } from '../syntax/address.ts';
import { isAscii } from '../syntax/is-ascii.ts';
import { lowerCase } from '../syntax/lower-case.ts';

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

/** `"ann"` and `ann` name one mailbox (RFC 5321 section 4.1.2); `"ann smith"` cannot do without its quotes. */
function withoutNeedlessQuotes(localPart: string): string {
  if (!localPart.startsWith('"')) return localPart;
  const inside = localPart.slice(1, -1).replaceAll(/\\(.)/gsu, '$1');
  return DOT_ATOM.test(inside) ? inside : localPart;
}

/** Atoms of RFC 5321 section 4.1.2, with the letters of RFC 6531 section 3.3, joined by single dots. */
const DOT_ATOM = /^[\w!#$%&'*+/=?^`{|}~\u0080-\u{10ffff}-]+(?:\.[\w!#$%&'*+/=?^`{|}~\u0080-\u{10ffff}-]+)*$/u;
