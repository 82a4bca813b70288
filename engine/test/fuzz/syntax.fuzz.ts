import assert from 'node:assert/strict';
import { domainToASCII } from 'node:url';
import fc from 'fast-check';
import { canonicalHost } from '../../src/syntax/canonical-host.ts';
import { isAscii } from '../../src/syntax/characters.ts';
import { parseAddress } from '../../src/syntax/parse-address.ts';

/**
 * Random domains and local parts, shaped to sit near the borders of the grammar. The tests run a few
 * thousand, `npm run fuzz` the full number. A broken promise throws, with the smallest input that breaks it.
 */
export type FuzzSize = { runs: number };

/** A name is refused, or it is canonical and stays the same when it is canonicalised again. */
export function fuzzDomains({ runs }: FuzzSize): void {
  fc.assert(fc.property(domains, holdsHostPromise), { numRuns: runs });
}

/**
 * A local part is refused, or goes on the wire as it was written, but for needless quotes, and as the grammar has
 * it.
 */
export function fuzzLocalParts({ runs }: FuzzSize): void {
  fc.assert(fc.property(localParts, holdsLocalPartPromise), { numRuns: runs });
}

/** Any text at all: never an exception, and an address that parses reads back as it was given. */
export function fuzzAddresses({ runs }: FuzzSize): void {
  fc.assert(fc.property(texts, holdsAddressPromise), { numRuns: runs });
}

function holdsHostPromise(name: string): void {
  const host = canonicalHost(name);
  if (host === undefined) return;
  assert.match(host, HOST);
  assert.doesNotMatch(host, /\.(?:0x)?\d+$/);
  assert.ok(host.length <= 253);
  assert.equal(canonicalHost(host), host);
  // Node's own UTS 46 is another implementation altogether. Its tables are older, so it may know no
  // answer (an empty string), but it must never know another.
  assert.ok(['', host].includes(domainToASCII(name)), domainToASCII(name));
}

function holdsLocalPartPromise(localPart: string): void {
  const parsed = parseAddress(`${localPart}@example.com`);
  if (isAscii(localPart)) {
    assert.equal(parsed.kind === 'valid', MAILBOX_LOCAL_PART.test(localPart) && localPart.length <= 64);
  }
  if (parsed.kind === 'invalid') return;
  const { localPart: asked } = parsed.address;
  if (asked !== localPart) {
    assert.ok(localPart.startsWith('"') && !asked.includes('"') && !asked.includes('\\'), asked);
    assert.equal(localPart.slice(1, -1).replaceAll(/\\(.)/gsu, '$1'), asked);
    const again = parseAddress(`${asked}@example.com`);
    assert.ok(again.kind === 'valid' && again.address.localPart === asked, asked);
  }
  assert.equal(parsed.address.username, localPart);
  assert.ok(Buffer.byteLength(localPart, 'utf8') <= 64);
  assert.doesNotMatch(localPart, UNSEEN);
  assert.equal(Buffer.from(localPart, 'utf8').toString('utf8'), localPart);
}

function holdsAddressPromise(text: string): void {
  const parsed = parseAddress(text);
  if (parsed.kind === 'invalid') return;
  const { email, username, domain, host, needsSmtputf8 } = parsed.address;
  assert.equal(email, text);
  assert.ok(email.startsWith(`${username}@`));
  const submitted = email.slice(username.length + 1);
  assert.equal(foldCase(submitted), foldCase(domain));
  assert.equal(canonicalHost(domain), host);
  assert.equal(needsSmtputf8, !isAscii(username));
  assert.ok(Buffer.byteLength(username, 'utf8') + 1 + host.length <= 254);
}

/** Case folded by way of lower case first, so that ẞ and ß, Σ, σ and ς meet. */
function foldCase(text: string): string {
  return text.toLowerCase().toUpperCase();
}

const HOST = /^(?!-)[a-z0-9-]{1,63}(?<!-)(?:\.(?!-)[a-z0-9-]{1,63}(?<!-))+$/;

/** RFC 5321 section 4.1.2, written down a second time and in another manner than the parser's. For ASCII. */
const MAILBOX_LOCAL_PART =
  /^(?:[\w!#$%&'*+/=?^`{|}~-]+(?:\.[\w!#$%&'*+/=?^`{|}~-]+)*|"(?:[^"\\\p{Cc}]|\\\P{Cc})*")$/u;

/** Invisible characters, the plain space and the two joiners aside. */
const UNSEEN = /[^\P{C}\u200c\u200d]|[^\P{Z} ]/u;

function oneOf(characters: string): fc.Arbitrary<string> {
  return fc.constantFrom(...Array.from(characters));
}

const anyCharacter = fc.string({ unit: 'binary', minLength: 1, maxLength: 1 });
const loneSurrogate = fc.integer({ min: 0xd800, max: 0xdfff }).map((unit) => String.fromCharCode(unit));
const control = fc.integer({ min: 0, max: 0x9f }).map((code) => String.fromCharCode(code));

/** Characters that some library, somewhere, maps to others or drops. */
const trap = fc.constantFrom(
  ...['。', '．', '｡', '⒈', '①', '１', 'Ａ', 'ａ', 'ﬁ', 'ß', 'ẞ', 'ς', 'Σ', 'İ', 'ı', '\u212a', '\u037e'],
  ...['\u00ad', '\u200b', '\u200c', '\u200d', '\u2060', '\ufeff', '\ufe0f', '\u0300', '\u0338', '\u034f'],
  ...['\u202a', '\u202e', '\u2066', '\u061c', 'א', 'ש', 'ا', '٣', '\u0e33', '葉', '\uf96e', 'а', 'е', 'ο'],
  ...['%2e', '%00', '\\000', '@', '＠', '/', ':', '?', '#', '_', '-', '--', 'xn--', '\u2028', '\u3000'],
);

const plain = fc.string({ unit: oneOf('abcxyz019-'), minLength: 1, maxLength: 12 });
const letters = fc.string({ unit: oneOf('büçñéждяαβγ中文한हि'), minLength: 1, maxLength: 8 });
const odd = fc.oneof(trap, anyCharacter, control, loneSurrogate);

const label = fc.oneof(
  { weight: 6, arbitrary: plain },
  { weight: 3, arbitrary: letters },
  { weight: 2, arbitrary: plain.map((text) => `xn--${text}`) },
  { weight: 2, arbitrary: fc.tuple(plain, odd, plain).map((parts) => parts.join('')) },
  { weight: 1, arbitrary: fc.string({ unit: 'binary', maxLength: 80 }) },
  { weight: 1, arbitrary: fc.integer({ min: 60, max: 66 }).map((length) => 'a'.repeat(length)) },
);

const domains = fc.oneof(
  { weight: 8, arbitrary: fc.array(label, { maxLength: 6 }).map((labels) => labels.join('.')) },
  { weight: 3, arbitrary: fc.array(label, { maxLength: 3 }).map((labels) => [...labels, 'com'].join('.')) },
  { weight: 1, arbitrary: fc.array(plain, { maxLength: 60 }).map((labels) => labels.join('.')) },
  { weight: 1, arbitrary: fc.string({ unit: 'binary', maxLength: 300 }) },
);

const atext = oneOf("abyz09!#$%&'*+-/=?^_`{|}~.");
const special = oneOf('()<>[]:;@\\," \t\r\n\0');
const piece = fc.oneof(
  { weight: 8, arbitrary: atext },
  { weight: 2, arbitrary: special },
  { weight: 2, arbitrary: letters },
  { weight: 1, arbitrary: odd },
  { weight: 1, arbitrary: fc.constantFrom('\r\nDATA\r\n', '>', '> SIZE=1', '\\"', '\\\\', '"."', '(c)') },
);
const written = fc.array(piece, { maxLength: 70 }).map((pieces) => pieces.join(''));
const localParts = fc.oneof(
  fc.string({ unit: atext, maxLength: 70 }),
  written,
  written.map((text) => `"${text}"`),
  fc.string({ unit: oneOf('ab .@\\"'), maxLength: 70 }).map((text) => `"${text}"`),
);

const texts = fc.oneof(
  fc.tuple(localParts, domains).map((parts) => parts.join('@')),
  fc.string({ unit: 'binary', maxLength: 300 }),
  fc.array(fc.oneof(piece, odd), { maxLength: 40 }).map((pieces) => pieces.join('')),
);
