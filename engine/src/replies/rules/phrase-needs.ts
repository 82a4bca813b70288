/**
 * What a text must hold for a phrase to occur in it, read from the phrase itself. To look for letters costs next to
 * nothing, to make an expression much; and of most phrases a reply does not have the words.
 */
import { phrasePieces } from './phrase.ts';

/** Letters that stand somewhere in the text, each of several needs, or one of several. Every text has the empty string. */
type Needs = string | { each: Needs[] } | { one: Needs[] };

export function needsOf(phrase: string): Needs {
  return readGroup(phrasePieces(phrase));
}

export function meetsNeeds(words: string, needs: Needs): boolean {
  if (typeof needs === 'string') return words.includes(needs);
  if ('one' in needs) return needs.one.some((choice) => meetsNeeds(words, choice));
  return needs.each.every((part) => meetsNeeds(words, part));
}

/** Takes the pieces up to the end of the group, or of the phrase. */
function readGroup(pieces: string[]): Needs {
  const choices: Needs[][] = [[]];
  for (let piece = pieces.shift(); piece !== undefined && piece !== ')'; piece = pieces.shift()) {
    if (piece === ')?') return '';
    if (piece === '|') choices.push([]);
    else choices.at(-1)?.push(piece === '(' ? readGroup(pieces) : needsOfWord(piece));
  }
  return oneOf(choices.map(eachOf));
}

/** What one of the choices can do without is not needed. */
function oneOf(one: Needs[]): Needs {
  if (one.includes('')) return '';
  return one.length === 1 ? (one[0] ?? '') : { one };
}

function eachOf(parts: Needs[]): Needs {
  const each = parts.length > 1 ? parts.filter((needs) => needs !== '') : parts;
  return each.length > 1 ? { each } : (each[0] ?? '');
}

/** A word stands between spaces; of one with open ends or a letter that may be missing, the longest piece is needed. */
function needsOfWord(word: string): string {
  if (word === '~' || word === '$' || word.startsWith('{')) return '';
  const spaced = ` ${word} `;
  if (!word.includes('*') && !word.includes('?')) return spaced;
  return spaced.split(OPEN).reduce((longest, piece) => (piece.length > longest.length ? piece : longest));
}

const OPEN = /\*\?*|.\?+/su;
