import { defaultLimits } from '../limits.ts';
import type { SyntaxFault } from './address.ts';
import { isAscii } from './is-ascii.ts';
import { isInternationalLetter } from './is-international-letter.ts';
import { turnsIntoAscii } from './turns-into-ascii.ts';

/**
 * The local part: RFC 5321 section 4.1.2 `Dot-string` or `Quoted-string`, with the characters beyond ASCII
 * that RFC 6531 section 3.3 adds to `atext` and `qtextSMTP` (and not to a quoted pair).
 *
 * It is never changed: only its own mail host may say what it means (RFC 5321 section 2.3.11). But
 * RFC 6532 section 3.1 wants NFC, and whoever relays it may normalise it, so that it is judged in that form
 * as well: it must stay within the grammar and the limit either way.
 */
export function examineLocalPart(localPart: string): SyntaxFault | undefined {
  if (localPart === '') return 'local_part_empty';
  if (localPart.length <= defaultLimits.localPartOctets && PLAIN.test(localPart)) return undefined;
  return examineByCharacter(localPart);
}

/** Nearly every local part: a Dot-string of ASCII, of which there is nothing else to be asked. */
const PLAIN = /^[\w!#$%&'*+\-/=?^`{|}~]+(?:\.[\w!#$%&'*+\-/=?^`{|}~]+)*$/;

/** The long way, which is right for every local part. */
export function examineByCharacter(localPart: string): SyntaxFault | undefined {
  const normalised = localPart.normalize('NFC');
  if (octets(localPart) > defaultLimits.localPartOctets) return 'local_part_too_long';
  if (octets(normalised) > defaultLimits.localPartOctets) return 'local_part_too_long';
  if (turnsIntoAscii(localPart)) return 'local_part_invalid';

  const characters = Array.from(normalised);
  if (!characters.every((_, index) => isSound(characters, index))) return 'local_part_invalid';
  return characters[0] === '"' ? examineQuotedString(characters) : examineDotString(characters);
}

/** Dot-string = Atom *("." Atom) */
function examineDotString(characters: string[]): SyntaxFault | undefined {
  let atomLength = 0;
  for (const character of characters) {
    if (character === '.') {
      if (atomLength === 0) return 'local_part_invalid';
      atomLength = 0;
    } else if (ATEXT.test(character) || !isAscii(character)) {
      atomLength += 1;
    } else {
      return ' ()'.includes(character) ? 'comment_or_folding' : 'local_part_invalid';
    }
  }
  return atomLength === 0 ? 'local_part_invalid' : undefined;
}

/** Quoted-string = DQUOTE *QcontentSMTP DQUOTE, over the whole local part: `"a"."b"` is obsolete. */
function examineQuotedString(characters: string[]): SyntaxFault | undefined {
  const end = characters.length - 1;
  for (let index = 1; index < end; index += 1) {
    if (characters[index] === '"') return 'local_part_invalid';
    if (characters[index] !== '\\') continue;
    index += 1;
    if (index === end || !isAscii(characters[index] ?? '')) return 'local_part_invalid';
  }
  return end > 0 && characters[end] === '"' ? undefined : 'local_part_invalid';
}

/** Whether a character beyond ASCII is one that a name may hold, where it stands. ASCII is the grammar's affair. */
function isSound(characters: string[], index: number): boolean {
  const character = characters[index] ?? '';
  if (isAscii(character)) return true;
  const before = characters[index - 1] ?? '';
  if (JOINER.test(character)) {
    // Persian and the Indic scripts write with joiners inside a word; anywhere else they only hide.
    return JOINED.test(before) && JOINED.test(characters[index + 1] ?? '');
  }
  // A mark with no letter to sit on would settle on the dot, the quote or the `@` beside it.
  if (MARK.test(character) && !MARKED.test(before)) return false;
  return isInternationalLetter(character);
}

const ATEXT = /^[\w!#$%&'*+\-/=?^`{|}~]$/;
const JOINER = /^[\u200c\u200d]$/;
const JOINED = /^(?=[^\0-\x7f])[\p{L}\p{M}]$/u;
const MARK = /^\p{M}$/u;
const MARKED = /^[\p{L}\p{M}\p{N}\u200c\u200d]$/u;

function octets(text: string): number {
  return Buffer.byteLength(text, 'utf8');
}
