import { parseAddress, type Address, type SyntaxFault } from '@mailproof/engine';

/**
 * What a cell of the address column holds. People's lists carry addresses in many dresses; what can be undressed without
 * guessing is, and `repaired` says that it was. A cell is never guessed into another address: nothing is inserted or
 * replaced within one.
 */
type CellReading =
  | { kind: 'blank' }
  | { kind: 'address'; address: Address; repaired: boolean; others: Address[] }
  | { kind: 'rejected'; fault: SyntaxFault };

/** A cell may hold so many addresses; what is behind them is not looked at. */
const addressesPerCellMax = 100;

/** Longest text that is looked at: as many characters as a cell of Excel holds. */
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
 * Zero-width characters, soft hyphens and byte order marks are never seen and never meant; no-break and other wide
 * spaces are spaces; a full-width or small at sign (U+FF20, U+FE6B) is an at sign.
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

/** `Doe, John <a@b>; c@d` and the like: separated by commas, semicolons, bars, slashes, white space. */
function tokensOf(text: string): string[] {
  const bracketed = placesOf(text, /<(?<token>[^<>]*)>/g);
  // Each part that is taken out leaves as many spaces, so that places stay.
  const outside = text.replace(/"[^"]*"\s*(?=<)|<[^<>]*>/g, (taken) => ' '.repeat(taken.length));
  const loose = placesOf(outside, /(?<token>[^\s,;|/]+)/g);
  return [...bracketed, ...loose].sort((a, b) => a.at - b.at).map(({ token }) => token);
}

function placesOf(text: string, pattern: RegExp): { token: string; at: number }[] {
  return [...text.matchAll(pattern)]
    .map(({ groups, index }) => ({ token: groups?.['token'] ?? '', at: index }))
    .filter(({ token }) => token.includes('@'));
}

/** Takes off what stands around an address, layer by layer; nothing where none is inside. */
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
  // `Name <a@b>`: one pair of angle brackets with an address in it, whatever stands before.
  const named = /^[^<>]*<([^<>]*)>[\s.,;:]*$/.exec(text);
  if (named?.[1] !== undefined) return named[1].trim();
  const quoted = /^["'`“”„‘’«([{](.*)["'`“”‘’»)\]}][\s.,;:]*$/s.exec(text);
  if (quoted?.[1] !== undefined) return quoted[1].trim();
  return withoutEnd(text.replace(/^[<\s,;:"']+/, ''));
}

/** Counts from the end: a pattern that ends in `+$` would begin anew at each of thousands of dots. */
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
