import type { SyntaxFault } from './address.ts';

type Split = { kind: 'split'; localPart: string; domain: string } | { kind: 'refused'; fault: SyntaxFault };

/**
 * Cuts an address at the `@` between local part and domain: the first one outside quotes. A second one is
 * left in the domain, which refuses it.
 */
export function splitAddress(text: string): Split {
  const at = text.startsWith('"') ? endOfQuotedString(text) : text.indexOf('@');
  if (at === -1 || text[at] !== '@') {
    return { kind: 'refused', fault: text.includes('@') ? 'local_part_invalid' : 'no_at_sign' };
  }
  return { kind: 'split', localPart: text.slice(0, at), domain: text.slice(at + 1) };
}

/** The index after the closing quote of a quoted string that starts the text, or -1 if it never closes. */
function endOfQuotedString(text: string): number {
  for (let index = 1; index < text.length; index += 1) {
    if (text[index] === '"') return index + 1;
    // A backslash takes the next character with it (RFC 5321 quoted-pairSMTP).
    if (text[index] === '\\') index += 1;
  }
  return -1;
}
