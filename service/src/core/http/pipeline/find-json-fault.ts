/**
 * What `JSON.parse` would let through and we do not: nesting that breaks recursive code later, a name
 * given twice (which value counts depends on who reads it), and names that reach into prototypes.
 *
 * One pass over the text, before it is parsed. It trusts nothing but need not understand everything: a
 * text that is no JSON at all may pass here, because the parser that follows refuses it.
 */
export type JsonFault = 'too_deep' | 'duplicate_name' | 'forbidden_name' | 'broken_string';

export const maxDepth = 8;

const forbiddenNames: ReadonlySet<string> = new Set(['__proto__', 'constructor', 'prototype']);

export function findJsonFault(text: string): JsonFault | undefined {
  /** The names met so far in each object that is open; an array has no names but counts for the depth. */
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

/** The place after the closing quote of the string that opens at `start`. */
function endOfString(text: string, start: number): number | undefined {
  for (let at = start + 1; at < text.length; at += 1) {
    if (text[at] === '\\') at += 1;
    else if (text[at] === '"') return at + 1;
  }
  return undefined;
}

/** A string is a name if the next thing after it is a colon. */
function isName(text: string, end: number): boolean {
  let at = end;
  while (text[at] === ' ' || text[at] === '\t' || text[at] === '\n' || text[at] === '\r') at += 1;
  return text[at] === ':';
}

/** Names are compared as they read, not as they are written: an escape hides nothing. */
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
