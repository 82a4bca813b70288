/**
 * Makes a stranger's text safe to log, store and print. Replies come from untrusted hosts: they may hold terminal
 * escapes, line breaks that forge a log record, or marks that reverse the reading direction.
 */

/**
 * Returns printable characters only, counted in code points. A line break or another kind of space becomes one
 * space, and any character that is invisible or changes how its neighbours are shown becomes a `?`.
 */
export function sanitiseReply(text: string, maxCharacters: number): string {
  const most = Math.max(0, maxCharacters);
  // No step lengthens the text. A character takes two units at most, and a line break of two becomes one space.
  const head = text.slice(0, most * 4);
  if (!beyondAscii.test(head)) return head.slice(0, most);
  const safe = head
    .replace(/[\r\n]+/g, ' ')
    .replace(otherSpaces, ' ')
    .replace(unprintable, '?')
    .replace(stackedMarks, '?');
  return Array.from(safe).slice(0, most).join('');
}

const beyondAscii = /[^\x20-\x7E]/;
const otherSpaces = /\p{Zs}/gu;

/**
 * Controls, formatting, surrogates, private use, unassigned code points and line separators. Fillers and variation
 * selectors too: a renderer may leave them out. The last is the braille pattern without a dot.
 */
const unprintable = /[\p{C}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}\u2800]/gu;

/** More marks on one letter than any language has reach into the lines around it. */
const stackedMarks = /\p{M}{4,}/gu;
