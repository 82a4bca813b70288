import { defaultLimits } from '../limits.ts';
import type { ParsedAddress, SyntaxFault } from './address.ts';
import { examineDomain, type ExaminedDomain } from './examine-domain.ts';
import { examineLocalPart } from './examine-local-part.ts';
import { isAscii } from './is-ascii.ts';
import { lowerCase } from './lower-case.ts';
import { withoutNeedlessQuotes } from './needless-quotes.ts';

/**
 * Reads a mailbox as RFC 5321 section 4.1.2 writes it, without what an envelope has no use for: no address
 * literal, no dotless domain, no comment, no folding, no display name.
 *
 * Every step is one pass from left to right, and the length is looked at before anything else, so the
 * time is bounded whatever the input. Nothing is trimmed here: see `trimAddress` below.
 */
export function parseAddress(input: string): ParsedAddress {
  return parse(input, examineDomain);
}

/** The same for addresses of one list: each domain is examined once. */
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
      // What is on the wire as it was written is in lower case already.
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

/** Over 254 code points. A code point is one UTF-16 unit or two, so hardly any text has to be counted. */
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

/** What RCPT will carry; the local part counted in whichever of its two forms is longer. */
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
 * This is not part of the syntax: a line break inside what a program calls an address is how commands are
 * smuggled, so `parseAddress` refuses every blank it meets. The API and the command line, which promise
 * to trim, call this first; whoever asks for the syntax alone does not.
 */
export function trimAddress(text: string): string {
  return text.trim();
}
