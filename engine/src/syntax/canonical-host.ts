import { toASCII, toUnicode } from 'tr46';
import { defaultLimits } from '../limits.ts';
import type { CanonicalHost, SyntaxFault } from './address.ts';
import { isAscii, isInternationalLetter, lowerCase, turnsIntoAscii } from './characters.ts';

/**
 * Returns the form of a host name that may reach DNS, a cache, a log or an SMTP command, or nothing if it has none.
 *
 * For names that come from elsewhere, above all MX targets: a resolver hands on whatever bytes a zone holds. The
 * caller takes off the trailing dot of a name in master-file form; here a dot too many is refused.
 */
export function canonicalHost(name: string): CanonicalHost | undefined {
  const examined = examineHost(name);
  return examined.kind === 'canonical' ? examined.host : undefined;
}

/**
 * Does the same for a mail host, whose name may hold underscores. No host name has any (RFC 1123 section 2.1), but
 * mail is sent to `_dc-mx.…` every day: Cloudflare names the mail host so if a domain's MX is a proxied name.
 */
export function canonicalMailHost(name: string): CanonicalHost | undefined {
  if (!name.includes('_')) return canonicalHost(name);
  const plain = canonicalHost(name.replaceAll('_', 'x'));
  const isAsWritten = plain === name.toLowerCase().replaceAll('_', 'x');
  // Lower case and every rule but one are settled.
  return isAsWritten ? (name.toLowerCase() as CanonicalHost) : undefined;
}

/**
 * The one canonicaliser of host names: NFC, then UTS 46, then letters, digits and hyphens.
 *
 * A name passes only if it goes on the wire as it was written, case apart. Full-width digits, an ideographic full
 * stop, a percent sign, a soft hyphen: each would be mapped to another name than the written one (`１２７.０.０.１` to an
 * address of this very machine). So each is refused and never repaired.
 */
export type ExaminedHost = { kind: 'canonical'; host: CanonicalHost } | { kind: 'refused'; fault: HostFault };

type HostFault = Extract<
  SyntaxFault,
  | 'domain_empty'
  | 'domain_too_long'
  | 'domain_invalid'
  | 'domain_not_canonical'
  | 'domain_dotless'
  | 'domain_numeric'
>;

export function examineHost(name: string): ExaminedHost {
  if (name === '') return refused('domain_empty');
  // An A-label is never shorter than the code points it stands for, and a code point is at most two UTF-16
  // units, so anything longer cannot fit. This comes first, so it bounds all that follows.
  if (name.length > 2 * defaultLimits.domainOctets) return refused('domain_too_long');
  return isPlain(name) ? examineLabels(name.toLowerCase()) : examineByTables(name);
}

const PLAIN = /^[a-z\d.-]+$/i;
const A_LABEL = /xn--/i;

/**
 * Whether a name has letters, digits, hyphens and dots alone, as nearly every name does. UTS 46 maps these to
 * themselves in lower case and finds no fault in them, so its tables need not be asked. An A-label is not plain: its
 * decoded form has to be judged.
 */
export function isPlain(name: string): boolean {
  return PLAIN.test(name) && !A_LABEL.test(name);
}

/** Examines the long way, which is right for every name. */
export function examineByTables(name: string): ExaminedHost {
  if (turnsIntoAscii(name)) return refused('domain_not_canonical');
  const written = lowerCase(spellOutSaraAm(name.normalize('NFC')));
  const wire = toASCII(written, UTS46);
  if (wire === null) return refused('domain_invalid');
  if (!isWrittenAs(written, wire)) return refused('domain_not_canonical');
  if (!hasOnlyLetters(written)) return refused('domain_invalid');
  return examineLabels(wire);
}

/**
 * UTS 46 section 4, non-transitional. CheckHyphens is off because mail hosts do have hyphens in the third and fourth
 * place; `examineLabels` looks at the ends of a label. VerifyDnsLength is done there as well, so that a name that is
 * too long is told from one that is malformed.
 */
const UTS46 = {
  checkHyphens: false,
  checkBidi: true,
  checkJoiners: true,
  useSTD3ASCIIRules: true,
  transitionalProcessing: false,
  ignoreInvalidPunycode: false,
};

/** Each label reads either as its ASCII form or as the Unicode form that this decodes to. */
function isWrittenAs(written: string, wire: string): boolean {
  const ascii = wire.split('.');
  const unicode = toUnicode(wire, UTS46).domain.split('.');
  const labels = written.split('.');
  return (
    labels.length === ascii.length &&
    labels.every((label, index) => label === ascii[index] || label === unicode[index])
  );
}

/** RFC 6531 section 3.3 takes U-labels (IDNA 2008), which hold no symbols; UTS 46 alone would let `€` pass. */
function hasOnlyLetters(written: string): boolean {
  for (const character of written) {
    if (isAscii(character) || isInternationalLetter(character)) continue;
    // Joiners were judged in their context by CheckJoiners (RFC 5892 appendix A).
    if (character === '\u200c' || character === '\u200d') continue;
    return false;
  }
  return true;
}

/** Applies RFC 1123 section 2.1 and RFC 1035 section 2.3.4 to the ASCII form. */
function examineLabels(wire: string): ExaminedHost {
  const fault = SOUND.test(wire) && wire.length <= defaultLimits.domainOctets ? undefined : faultOf(wire);
  // The brand marks that every rule has been applied; this is the only place that puts it on.
  return fault === undefined ? { kind: 'canonical', host: wire as CanonicalHost } : refused(fault);
}

/** Nearly every name: two labels or more within the rules, the last of them beginning as no number does. */
const SOUND = /^(?:[a-z\d](?:[a-z\d-]{0,61}[a-z\d])?\.)+[a-z](?:[a-z\d-]{0,61}[a-z\d])?$/;

/** Examines the long way, which is right for every name. */
export function faultOf(wire: string): HostFault | undefined {
  const labels = wire.split('.');
  if (labels.length < 2) return 'domain_dotless';
  if (!labels.every((label) => LETTERS_DIGITS_HYPHENS.test(label))) return 'domain_invalid';
  if (labels.some((label) => label.startsWith('-') || label.endsWith('-'))) return 'domain_invalid';
  if (labels.some((label) => label.length > 63)) return 'domain_too_long';
  if (wire.length > defaultLimits.domainOctets) return 'domain_too_long';
  return NUMBER.test(labels.at(-1) ?? '') ? 'domain_numeric' : undefined;
}

const LETTERS_DIGITS_HYPHENS = /^[a-z0-9-]+$/;

/** A last label that some resolvers read as part of an IPv4 address, hexadecimal included (`127.0.0.0x1`). */
const NUMBER = /^(?:\d+|0x[\da-f]*)$/;

/**
 * Spells Thai and Lao SARA AM out. It is typed as one letter everywhere, and IDNA knows only the two it is made of.
 * It is the one mapping done on the writer's behalf: without it no name with this vowel could be verified.
 */
function spellOutSaraAm(text: string): string {
  return text.replaceAll('\u0e33', '\u0e4d\u0e32').replaceAll('\u0eb3', '\u0ecd\u0eb2');
}

function refused(fault: HostFault): ExaminedHost {
  return { kind: 'refused', fault };
}
