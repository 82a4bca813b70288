/**
 * Faults that `JSON.parse` accepts and we do not. Deep nesting breaks recursive code later. A duplicate name has a
 * value that depends on the parser. Some names reach into prototypes.
 *
 * It is one pass over the text before parsing. It need not recognize every fault: the parser that follows refuses a
 * text that is no JSON.
 */
export type JsonFault = 'too_deep' | 'duplicate_name' | 'forbidden_name' | 'broken_string';

export const maxDepth = 8;

const forbiddenNames: ReadonlySet<string> = new Set(['__proto__', 'constructor', 'prototype']);

export function findJsonFault(text: string): JsonFault | undefined {
  /** The names so far in each open object; an array has no names but counts for the depth. */
  const open: Set<string>[] = [];
  let at = 0;
  while (at < text.length) {
    const character = text[at];
    if (character === '"') {
      const end = endOfString(text, at);
      if (end === undefined) return 'broken_string';
      const names = open.at(-1);
      if (names !== undefined && isName(text, end)) {
        const fault = addName(names, text.slice(at, end));
        if (fault !== undefined) return fault;
      }
      at = end;
      continue;
    }
    if (character === '{' || character === '[') {
      if (open.length === maxDepth) return 'too_deep';
      open.push(new Set());
    } else if (character === '}' || character === ']') {
      open.pop();
    }
    at += 1;
  }
  return undefined;
}

/** Returns the place after the closing quote of the string that opens at `start`. */
function endOfString(text: string, start: number): number | undefined {
  for (let at = start + 1; at < text.length; at += 1) {
    if (text[at] === '\\') at += 1;
    else if (text[at] === '"') return at + 1;
  }
  return undefined;
}

/** Tells whether a string is a name: the next token is a colon. */
function isName(text: string, end: number): boolean {
  let at = end;
  while (text[at] === ' ' || text[at] === '\t' || text[at] === '\n' || text[at] === '\r') at += 1;
  return text[at] === ':';
}

/** Adds a name in its decoded form, so that an escape hides nothing. */
function addName(names: Set<string>, quoted: string): JsonFault | undefined {
  const name = unquote(quoted);
  if (name === undefined) return 'broken_string';
  if (forbiddenNames.has(name)) return 'forbidden_name';
  if (names.has(name)) return 'duplicate_name';
  names.add(name);
  return undefined;
}

function unquote(quoted: string): string | undefined {
  if (!quoted.includes('\\')) return quoted.slice(1, -1);
  try {
    return String(JSON.parse(quoted));
  } catch {
    return undefined;
  }
}
