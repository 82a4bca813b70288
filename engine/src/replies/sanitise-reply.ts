/**
 * Makes a stranger's text safe to log, store and print. Replies come from hosts nobody vouches for: they may hold
 * terminal escapes, line breaks that forge a log record, or marks that reverse the reading direction.
 */

/** Printable ASCII only: line breaks become one space, every other character a `?`, the rest is cut off. */
export function sanitiseReply(text: string, maxCharacters: number): string {
  // Each step shortens the text or keeps its length, so twice the limit is more than enough to look at.
  const head = text.slice(0, Math.max(0, maxCharacters) * 2);
  const safe = UNSAFE.test(head) ? head.replace(/[\r\n]+/g, ' ').replace(/[^\x20-\x7E]/gu, '?') : head;
  return safe.slice(0, Math.max(0, maxCharacters));
}

const UNSAFE = /[^\x20-\x7E]/;
