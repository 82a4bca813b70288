import { parseAddress, type Address, type SyntaxFault } from '@mailproof/engine';

/**
 * The content of a cell in the address column. Lists wrap addresses in names, brackets and quotes. Wrapping that needs
 * no guess is removed, and `repaired` records it. Nothing is ever inserted or replaced within an address.
 */
type CellReading =
  | { kind: 'blank' }
  | { kind: 'address'; address: Address; repaired: boolean; others: Address[] }
  | { kind: 'rejected'; fault: SyntaxFault };

/** Addresses read from one cell; further ones are ignored. */
const addressesPerCellMax = 100;

/** Longest text that is read: as many characters as a cell of Excel holds. */
const cellCharactersMax = 32_767;

export function readCell(text: string): CellReading {
  const cell = text.length > cellCharactersMax ? text.slice(0, cellCharactersMax) : text;
  const plain = cell.trim();
  const straight = plain === '' ? undefined : parseAddress(plain);
  if (straight?.kind === 'valid') {
    return { kind: 'address', address: straight.address, repaired: false, others: [] };
  }
  const visible = withoutInvisible(cell);
  if (visible === '') return { kind: 'blank' };
  const [address, ...others] = addressesIn(visible);
  if (address !== undefined) return { kind: 'address', address, repaired: true, others };
  return { kind: 'rejected', fault: straight?.kind === 'invalid' ? straight.fault : 'empty' };
}

/**
 * Normalises invisible characters. Zero-width characters, soft hyphens and byte order marks are dropped. No-break and
 * other wide spaces become spaces. A full-width or small at sign (U+FF20, U+FE6B) becomes an at sign.
 */
function withoutInvisible(text: string): string {
  return text
    .replace(/[\u00ad\u200b-\u200f\u2060\ufeff]/g, '')
    .replace(/[\u00a0\u1680\u2000-\u200a\u202f\u205f\u3000]/g, ' ')
    .replace(/[\uff20\ufe6b]/g, '@')
    .trim();
}

function addressesIn(text: string): Address[] {
  const whole = undress(text);
  if (whole !== undefined) return [whole];
  const found: Address[] = [];
  for (const token of tokensOf(text).slice(0, addressesPerCellMax)) {
    const address = undress(token);
    if (address !== undefined) found.push(address);
  }
  return found;
}

/** Splits `Doe, John <a@b>; c@d` and the like at commas, semicolons, bars, slashes and white space. */
function tokensOf(text: string): string[] {
  const bracketed = placesOf(text, /<(?<token>[^<>]*)>/g);
  // Removed parts leave as many spaces, so that offsets stay valid.
  const outside = text.replace(/"[^"]*"\s*(?=<)|<[^<>]*>/g, (taken) => ' '.repeat(taken.length));
  const loose = placesOf(outside, /(?<token>[^\s,;|/]+)/g);
  return [...bracketed, ...loose].sort((a, b) => a.at - b.at).map(({ token }) => token);
}

function placesOf(text: string, pattern: RegExp): { token: string; at: number }[] {
  return [...text.matchAll(pattern)]
    .map(({ groups, index }) => ({ token: groups?.['token'] ?? '', at: index }))
    .filter(({ token }) => token.includes('@'));
}

/** Removes the wrapping around an address, layer by layer; `undefined` if no address is inside. */
function undress(text: string): Address | undefined {
  let inner = text.trim();
  for (let layer = 0; layer < 4; layer += 1) {
    const parsed = parseAddress(inner);
    if (parsed.kind === 'valid') return parsed.address;
    const next = outerLayerOff(inner);
    if (next === inner) return undefined;
    inner = next;
  }
  const parsed = parseAddress(inner);
  return parsed.kind === 'valid' ? parsed.address : undefined;
}

function outerLayerOff(text: string): string {
  const link = /^mailto:\s*([^?]*)/i.exec(text);
  if (link?.[1] !== undefined) return decodePercent(link[1]).trim();
  // `Name <a@b>`: one pair of angle brackets with an address in it, after any text.
  const named = /^[^<>]*<([^<>]*)>[\s.,;:]*$/.exec(text);
  if (named?.[1] !== undefined) return named[1].trim();
  const quoted = /^["'`“”„‘’«([{](.*)["'`“”‘’»)\]}][\s.,;:]*$/s.exec(text);
  if (quoted?.[1] !== undefined) return quoted[1].trim();
  return withoutEnd(text.replace(/^[<\s,;:"']+/, ''));
}

/** Counts from the end: a pattern that ends in `+$` would start again at each of thousands of dots. */
function withoutEnd(text: string): string {
  let end = text.length;
  while (end > 0 && /[\s.,;:>"'!)]/.test(text[end - 1] ?? '')) end -= 1;
  return text.slice(0, end);
}

function decodePercent(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
