/**
 * Phrases in which the rules are written. A rule's text is matched against a reply that `normaliseText` has brought
 * to plain words: lower case, single spaces, no punctuation but ` . ` between sentences, ` addr ` for every address.
 *
 *     user unknown              these words, next to each other, anywhere in the reply
 *     users? unknown            the letter before the mark may be missing
 *     (user|mailbox) unknown    one of these
 *     user (is|was)? unknown    with or without
 *     {who} ~ unknown           up to six words of the same sentence may stand between
 *     deactivat*  *spamhaus*    any ending, any beginning
 *     user rejected $           at the end of a sentence
 *     {who}                     a set of words of `word-sets.ts`
 *
 * Every word compiles to an expression that ends at a space and a gap is bounded, so no part can match the same
 * characters in many ways and the time stays linear in the length of the text.
 */
import { wordSets } from '../word-sets.ts';

const gap = String.raw`(?:(?!\. )\S+ ){0,6}`;

/**
 * One expression for all the phrases: true where any of them occurs. No `u` flag: no phrase needs a character beyond
 * the basic plane, and with the flag a text outside Latin-1 takes four times as long.
 */
export function phrasePattern(phrases: readonly string[]): RegExp {
  return new RegExp(` (?:${phrases.map(phraseSource).join('|')})`);
}

/** A word compiles to itself and the space after it, so that groups nest without further ado. */
function phraseSource(phrase: string): string {
  return phrasePieces(phrase).map(pieceSource).join('');
}

/** Words and the marks between them, as they are written. */
export function phrasePieces(phrase: string): string[] {
  return phrase.match(/\)\?|[()|]|[^\s()|]+/gu) ?? [];
}

function pieceSource(piece: string): string {
  if (piece === '(') return '(?:';
  if (piece === ')' || piece === ')?' || piece === '|') return piece;
  if (piece === '~') return gap;
  if (piece === '$') return String.raw`(?=\. |$)`;
  return `${wordSource(piece)} `;
}

function wordSource(word: string): string {
  const setName = /^\{(\w+)\}$/u.exec(word)?.[1];
  if (setName === undefined) {
    return word.replace(/[.+^$[\]\\{}]/gu, String.raw`\$&`).replaceAll('*', String.raw`\S*`);
  }
  if (!isWordSet(setName)) throw new Error(`no set of words is called ${setName}`);
  return `(?:${wordSets[setName]})`;
}

function isWordSet(name: string): name is keyof typeof wordSets {
  return Object.hasOwn(wordSets, name);
}
