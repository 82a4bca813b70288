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
