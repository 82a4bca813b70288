import { defaultLimits } from '../limits.ts';
import type { ParsedAddress, SyntaxFault } from './address.ts';
import { examineHost, type ExaminedHost } from './canonical-host.ts';
import { isAscii, lowerCase, isInternationalLetter, turnsIntoAscii } from './characters.ts';

/**
 * Reads a mailbox as RFC 5321 section 4.1.2 writes it, without the parts that an envelope does not use: no address
 * literal, no dotless domain, no comment, no folding, no display name.
 *
 * Every step is one pass from left to right, and the length is checked before anything else, so the time is bounded
 * whatever the input. Nothing is trimmed here: see `trimAddress` below.
 */
export function parseAddress(input: string): ParsedAddress {
  return parse(input, examineDomain);
}

/** Returns a parser for the addresses of one list: each domain is examined once. */
export function createListParser(): (input: string) => ParsedAddress {
  const known = new Map<string, ExaminedDomain>();
  const examine = (domain: string) => {
    const found = known.get(domain) ?? examineDomain(domain);
    known.set(domain, found);
    return found;
  };
  return (input) => parse(input, examine);
}

function parse(input: string, examine: typeof examineDomain): ParsedAddress {
  if (input === '') return invalid('empty');
  if (isTooLong(input)) return invalid('too_long');
  if (CONTROL.test(input)) return invalid('control_character');

  const split = splitAddress(input);
  if (split.kind === 'refused') return invalid(split.fault);
  const fault = examineLocalPart(split.localPart);
  if (fault !== undefined) return invalid(fault);
  const domain = examine(split.domain);
  if (domain.kind === 'refused') return invalid(domain.fault);
  if (wireOctets(split.localPart, domain.host) > defaultLimits.addressCharacters) return invalid('too_long');

  return {
    kind: 'valid',
    address: {
      email: input,
      username: split.localPart,
      // A domain that is on the wire as it was written is in lower case already.
      domain: split.domain === domain.host ? domain.host : lowerCase(split.domain),
      host: domain.host,
      localPart: withoutNeedlessQuotes(split.localPart),
      needsSmtputf8: !isAscii(split.localPart),
    },
  };
}

/** C0, DEL and C1: none may stand in a mailbox, quoted or not (RFC 5321 section 4.1.2, RFC 6532 section 3.1). */
// eslint-disable-next-line no-control-regex -- control characters are exactly what it looks for
const CONTROL = /[\0-\x1f\x7f-\x9f]/;

/**
 * Whether a text has over 254 code points. A code point is one or two UTF-16 units, so hardly any text has to be
 * counted.
 */
function isTooLong(input: string): boolean {
  const most = defaultLimits.addressCharacters;
  return input.length > most && (input.length > 2 * most || Array.from(input).length > most);
}

type SplitAddress =
  { kind: 'split'; localPart: string; domain: string } | { kind: 'refused'; fault: SyntaxFault };

/**
 * Cuts an address at the `@` between local part and domain: the first one outside quotes. A second one is
 * left in the domain, which refuses it.
 */
function splitAddress(text: string): SplitAddress {
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

/** Returns the octets that RCPT will carry; the local part counts in the longer of its two forms. */
function wireOctets(localPart: string, host: string): number {
  if (isAscii(localPart)) return localPart.length + 1 + host.length;
  const asWritten = Buffer.byteLength(localPart, 'utf8');
  const normalised = Buffer.byteLength(localPart.normalize('NFC'), 'utf8');
  return Math.max(asWritten, normalised) + 1 + host.length;
}

function invalid(fault: SyntaxFault): ParsedAddress {
  return { kind: 'invalid', fault };
}

/**
 * Takes the white space around an address off, as it comes from forms and files.
 *
 * This is not part of the syntax: commands are smuggled by a line break inside an address, so `parseAddress` refuses
 * every blank it meets. The API and the command line, which promise to trim, call this first; a caller that wants
 * the syntax alone does not.
 */
export function trimAddress(text: string): string {
  return text.trim();
}

/**
 * Returns the local part without quotes that it does not need. `"ann"` and `ann` name one mailbox (RFC 5321 section
 * 4.1.2, which wants the plain form), and so do `"a\nn"` and `ann`. `"ann smith"` cannot do without its quotes.
 */
export function withoutNeedlessQuotes(localPart: string): string {
  if (!localPart.startsWith('"')) return localPart;
  const inside = localPart.slice(1, -1).replaceAll(/\\(.)/gsu, '$1');
  return DOT_ATOM.test(inside) ? inside : localPart;
}

/** Atoms of RFC 5321 section 4.1.2, with the letters of RFC 6531 section 3.3, joined by single dots. */
const DOT_ATOM = /^[\w!#$%&'*+/=?^`{|}~\u0080-\u{10ffff}-]+(?:\.[\w!#$%&'*+/=?^`{|}~\u0080-\u{10ffff}-]+)*$/u;

/**
 * Examines the local part: RFC 5321 section 4.1.2 `Dot-string` or `Quoted-string`, with the characters beyond ASCII
 * that RFC 6531 section 3.3 adds to `atext` and `qtextSMTP` (and not to a quoted pair).
 *
 * It is never changed: only its own mail host may say what it means (RFC 5321 section 2.3.11). But RFC 6532 section
 * 3.1 wants NFC, and a relay may normalise it. So it is judged in that form as well: it must stay within the grammar
 * and the limit either way.
 */
export function examineLocalPart(localPart: string): SyntaxFault | undefined {
  if (localPart === '') return 'local_part_empty';
  if (localPart.length <= defaultLimits.localPartOctets && PLAIN.test(localPart)) return undefined;
  return examineByCharacter(localPart);
}

/** A Dot-string of ASCII, as nearly every local part is; it needs no further look. */
const PLAIN = /^[\w!#$%&'*+\-/=?^`{|}~]+(?:\.[\w!#$%&'*+\-/=?^`{|}~]+)*$/;

/** Examines the long way, which is right for every local part. */
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

/** Whether a name may hold this character beyond ASCII at this place. ASCII is the grammar's affair. */
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

type ExaminedDomain = Extract<ExaminedHost, { kind: 'canonical' }> | { kind: 'refused'; fault: SyntaxFault };

/**
 * Examines the domain of an address: a canonical host, and two rules more. They would be too strict for the name of
 * a mail host, which may be whatever its own zone says.
 */
function examineDomain(domain: string): ExaminedDomain {
  if (domain.startsWith('[')) return { kind: 'refused', fault: 'address_literal' };
  if (COMMENT_OR_FOLDING.test(domain)) return { kind: 'refused', fault: 'comment_or_folding' };
  const examined = examineHost(domain);
  if (examined.kind === 'refused') return examined;
  if (!TOP_LEVEL.test(examined.host) || hasReservedLabel(examined.host)) {
    return { kind: 'refused', fault: 'domain_invalid' };
  }
  return examined;
}

const COMMENT_OR_FOLDING = /[ ()]/;

/**
 * RFC 1123 section 2.1: the last label is alphabetic, which tells a name from an IP address. An internationalised
 * one stands there as its A-label. One letter has never been delegated.
 */
const TOP_LEVEL = /\.(?:[a-z]{2,}|xn--[^.]*)$/;

/**
 * RFC 5890 section 2.3.1 reserves hyphens in the third and fourth place for encodings to come. A label with a prefix
 * other than `xn--` must not be taken for an ordinary one.
 */
function hasReservedLabel(host: string): boolean {
  return host.includes('--') && host.split('.').some(isReserved);
}

function isReserved(label: string): boolean {
  return label.startsWith('--', 2) && !label.startsWith('xn--');
}
