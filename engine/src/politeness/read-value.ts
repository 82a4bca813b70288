import { nearestName } from '../nearest-name.ts';

/**
 * Reads JSON that a person wrote, and describes a mistake in one line: its place, the value there, and the values
 * that may stand there. A reader that finds a mistake notes it and returns null; the first note is the one to show,
 * since later ones may follow from it.
 */
export type Reader<Value> = (value: unknown, place: Place) => Value | null;

/** The place of a value in the document, and the list of mistakes so far. */
export type Place = { path: string; mistakes: string[] };

export function inside(place: Place, step: string): Place {
  return { ...place, path: `${place.path}${step}` };
}

/** `says` ends the sentence that begins with the path. */
export function note(place: Place, says: string): null {
  place.mistakes.push(`${place.path === '' ? 'the file' : place.path.replace(/^\./u, '')} ${says}`);
  return null;
}

/** Returns a reader by `parse`; `mayBe` ends the sentence "it may be …". */
function reader<Value>(mayBe: string, parse: (value: unknown) => Value | undefined): Reader<Value> {
  return (value, place) => parse(value) ?? note(place, `is ${shown(value)}; it may be ${mayBe}`);
}

/** Does the same for values that must not be shown: a password in a log is a password lost. */
export function secretReader(mayBe: string, parse: (text: string) => string | undefined): Reader<string> {
  return (value, place) =>
    (typeof value === 'string' ? parse(value) : undefined) ??
    note(place, `cannot be read; it may be ${mayBe}`);
}

export function textReader<Value>(mayBe: string, parse: (text: string) => Value | undefined): Reader<Value> {
  return reader(mayBe, (value) => (typeof value === 'string' ? parse(value) : undefined));
}

export function wholeNumber(least: number, most: number): Reader<number> {
  return reader(`a whole number from ${least} to ${most}`, (value) =>
    typeof value === 'number' && Number.isInteger(value) && value >= least && value <= most
      ? value
      : undefined,
  );
}

export const trueOrFalse: Reader<boolean> = reader('true or false', (value) =>
  typeof value === 'boolean' ? value : undefined,
);

export function oneOf<const Choice extends string>(...choices: Choice[]): Reader<Choice> {
  return reader(listed(choices.map((choice) => JSON.stringify(choice))), (value) =>
    choices.find((choice) => choice === value),
  );
}

/** Reads a list without repetition. One bad item spoils it, so that none is passed over in silence. */
export function listOf<Item>(
  item: Reader<Item>,
  { what, least, most }: { what: string; least: number; most: number },
): Reader<Item[]> {
  return (value, place) => {
    if (!Array.isArray(value) || value.length < least || value.length > most) {
      return note(place, `is ${shown(value)}; it may be a list of ${least} to ${most} ${what}`);
    }
    const items: Item[] = [];
    for (const [index, written] of value.entries()) {
      const at = inside(place, `[${index}]`);
      const read = item(written, at);
      if (read === null) return null;
      if (items.includes(read)) return note(at, `is ${shown(written)}, which is already in the list`);
      items.push(read);
    }
    return items;
  };
}

type Fields = Readonly<Record<string, Reader<unknown>>>;
type Stated<Of extends Fields> = { [Name in keyof Of]?: NonNullable<ReturnType<Of[Name]>> };

/** Reads an object with no keys but these, each of which may be left out. */
export function fields<Of extends Fields>(readers: Of): Reader<Stated<Of>> {
  const known = Object.keys(readers);
  return (value, place) => {
    if (!isObject(value)) return note(place, `is not an object; it may be one with ${listed(known)}`);
    const stated: Record<string, unknown> = {};
    for (const [name, written] of Object.entries(value)) {
      const read = Object.hasOwn(readers, name) ? readers[name] : undefined;
      if (read === undefined) return unknownKey(place, { name, known });
      const result = read(written, inside(place, `.${name}`));
      if (result === null) return null;
      stated[name] = result;
    }
    // Each key has just been given the value of that key's reader.
    return stated as Stated<Of>;
  };
}

function unknownKey(place: Place, { name, known }: { name: string; known: string[] }): null {
  const meant = nearestName(clipped(name), known);
  const hint = meant === undefined ? `there may be ${listed(known)}` : `did you mean ${meant}?`;
  return note(place, `has ${shown(name)}, which is not a known key; ${hint}`);
}

export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/**
 * Returns a value as it may stand in a line for a terminal: short, and without a character that does more than
 * print.
 */
export function shown(value: unknown): string {
  if (Array.isArray(value)) return `a list of ${value.length}`;
  if (isObject(value)) return 'an object';
  return clipped(JSON.stringify(value).replace(/[^\x20-\x7e]/gu, '?'));
}

export function listed(names: readonly string[]): string {
  return names.length < 3 ? names.join(' or ') : `${names.slice(0, -1).join(', ')} or ${names.at(-1) ?? ''}`;
}

function clipped(text: string): string {
  return text.length <= 80 ? text : `${text.slice(0, 80)}…`;
}

/**
 * Returns the fault that keeps a text from being unambiguous JSON, in a few words and with the place, or nothing.
 * The words never quote the text beyond one character or the name of a key: a password may stand in it.
 */
export function jsonFault(text: string): string | undefined {
  const broken = syntaxFault(text);
  if (broken !== undefined) return `is not JSON: ${broken}`;
  const repeated = repeatedKey(text);
  return repeated === undefined
    ? undefined
    : `has a key twice in one object, the second time at ${placeOf(text, repeated)}`;
}

function syntaxFault(text: string): string | undefined {
  const message = parseMessage(text);
  if (message === undefined) return undefined;
  const told = /^(?<fault>[^"]*?) in JSON at position (?<at>\d+)/u.exec(message)?.groups;
  if (told !== undefined) return `${told['fault'] ?? ''} at ${placeOf(text, Number(told['at']))}`;
  const token = /^Unexpected token/u.test(message);
  return token ? `an unexpected character at ${placeOf(text, firstBadCharacter(text))}` : 'it ends too early';
}

function parseMessage(text: string): string | undefined {
  try {
    JSON.parse(text);
    return undefined;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}

/**
 * Returns the place of the first bad character, which the parser does not tell. A text cut off before it fails for
 * another reason, a text cut off behind it for the same one, so halving finds the place.
 */
function firstBadCharacter(text: string): number {
  let [good, bad] = [0, text.length];
  while (bad - good > 1) {
    const middle = (good + bad) >>> 1;
    if (parseMessage(text.slice(0, middle))?.startsWith('Unexpected token') === true) bad = middle;
    else good = middle;
  }
  return bad - 1;
}

/** Returns the second place of a repeated key; JSON.parse takes the last and drops the others without a word. */
function repeatedKey(text: string): number | undefined {
  const open: Set<string>[] = [];
  for (const token of text.matchAll(/"(?:[^"\\]|\\.)*"(?<colon>\s*:)?|[{}]/gu)) {
    if (token[0] === '{') open.push(new Set());
    else if (token[0] === '}') open.pop();
    else if (token.groups?.['colon'] !== undefined) {
      const key = String(JSON.parse(token[0].slice(0, -token.groups['colon'].length)));
      if (open.at(-1)?.has(key) === true) return token.index;
      open.at(-1)?.add(key);
    }
  }
  return undefined;
}

function placeOf(text: string, position: number): string {
  const before = text.slice(0, position).split('\n');
  return `line ${before.length} column ${(before.at(-1) ?? '').length + 1}`;
}
