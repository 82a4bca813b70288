/** Whether every UTF-16 unit of the text is below U+0080. */
export function isAscii(text: string): boolean {
  for (let index = 0; index < text.length; index += 1) {
    if (text.charCodeAt(index) > 0x7f) return false;
  }
  return true;
}

/**
 * Returns lower case one code point at a time. `String.prototype.toLowerCase` looks at the neighbours (a capital
 * sigma at the end of a word becomes ς), and UTS 46 does not: the two would disagree about Greek names.
 */
export function lowerCase(text: string): string {
  if (isAscii(text)) return text.toLowerCase();
  let lower = '';
  for (const character of text) lower += character.toLowerCase();
  return lower;
}

/**
 * Whether a character outside ASCII becomes an ASCII one when the text is normalised (NFC) or lower-cased.
 *
 * The Kelvin sign becomes `k`, the Greek question mark `;`, the dotted capital I an `i`. The eye and the database
 * see one text, and a program that normalises it on the way sees another.
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

/**
 * Whether a character beyond ASCII may stand in an internationalised name.
 *
 * RFC 6531 itself lets any character beyond ASCII into a local part, and UTS 46 lets symbols into a domain. The
 * narrower rule here is the one of IDNA 2008 (RFC 5892) for domains and of PRECIS (RFC 8264 section 4.2) for user
 * names: letters, marks and decimal digits that mean themselves. It keeps out symbols, mojibake, spaces, invisible
 * and direction-changing characters, private use and unassigned code points. It also keeps out compatibility
 * characters (full width, ligatures, circled numbers) that become others in NFKC.
 */
export function isInternationalLetter(character: string): boolean {
  if (EXCEPTIONALLY_ALLOWED.has(character)) return true;
  if (EXCEPTIONALLY_REFUSED.has(character)) return false;
  return (
    LETTER_MARK_OR_DIGIT.test(character) &&
    !INVISIBLE.test(character) &&
    character.normalize('NFKC') === character
  );
}

/** RFC 5892 section 2.1, the general categories of "LetterDigits". */
const LETTER_MARK_OR_DIGIT = /^[\p{Ll}\p{Lu}\p{Lo}\p{Lm}\p{Mn}\p{Mc}\p{Nd}]$/u;

/** RFC 5892 section 2.3: variation selectors, fillers and the like, which no reader can see. */
const INVISIBLE = /^\p{Default_Ignorable_Code_Point}$/u;

/**
 * Characters that RFC 5892 section 2.6 allows against the categories. They are Catalan middle dot, Greek keraia,
 * Hebrew geresh and gershayim, the two Sindhi signs, Tibetan tsheg, ideographic zero and katakana middle dot. Thai
 * and Lao SARA AM is added: a compatibility character by the tables, but the one letter that every writer of those
 * languages types.
 */
const EXCEPTIONALLY_ALLOWED: ReadonlySet<string> = new Set([
  '\u00b7',
  '\u0375',
  '\u05f3',
  '\u05f4',
  '\u06fd',
  '\u06fe',
  '\u0f0b',
  '\u3007',
  '\u30fb',
  '\u0e33',
  '\u0eb3',
]);

/** Letters that RFC 5892 section 2.6 refuses: tatweel and the kana repeat marks. */
const EXCEPTIONALLY_REFUSED: ReadonlySet<string> = new Set([
  '\u0640',
  '\u07fa',
  '\u302e',
  '\u302f',
  '\u3031',
  '\u3032',
  '\u3033',
  '\u3034',
  '\u3035',
  '\u303b',
]);
