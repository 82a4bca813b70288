/**
 * The local part without quotes that it does not need: `"ann"` and `ann` name one mailbox (RFC 5321 section 4.1.2, which
 * wants the plain form), and so do `"a\nn"` and `ann`. `"ann smith"` cannot do without its quotes.
 */
export function withoutNeedlessQuotes(localPart: string): string {
  if (!localPart.startsWith('"')) return localPart;
  const inside = localPart.slice(1, -1).replaceAll(/\\(.)/gsu, '$1');
  return DOT_ATOM.test(inside) ? inside : localPart;
}

/** Atoms of RFC 5321 section 4.1.2, with the letters of RFC 6531 section 3.3, joined by single dots. */
const DOT_ATOM = /^[\w!#$%&'*+/=?^`{|}~\u0080-\u{10ffff}-]+(?:\.[\w!#$%&'*+/=?^`{|}~\u0080-\u{10ffff}-]+)*$/u;
