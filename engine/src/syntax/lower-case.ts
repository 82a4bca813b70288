import { isAscii } from './is-ascii.ts';

/**
 * Lower case one code point at a time. `String.prototype.toLowerCase` looks at the neighbours (a capital
 * sigma at the end of a word becomes ς), and UTS 46 does not: the two would disagree about Greek names.
 */
export function lowerCase(text: string): string {
  if (isAscii(text)) return text.toLowerCase();
  let lower = '';
  for (const character of text) lower += character.toLowerCase();
  return lower;
}
