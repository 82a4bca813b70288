import { isAscii } from './is-ascii.ts';

/**
 * Whether a character outside ASCII becomes an ASCII one when the text is normalised (NFC) or lower-cased.
 *
 * The Kelvin sign becomes `k`, the Greek question mark `;`, the dotted capital I an `i`. Such a text is
 * one thing to the eye and the database, and another to whoever normalises it on the way.
 */
export function turnsIntoAscii(text: string): boolean {
  for (const character of text) {
    if (isAscii(character)) continue;
    for (const part of character.normalize('NFC').toLowerCase()) {
      if (isAscii(part)) return true;
    }
  }
  return false;
}
