import type { ReplyLabel, ReplyReason } from '../meaning.ts';
import type { PlainReply } from '../normalise-reply.ts';
import type { ProviderId } from '../providers.ts';
import { wordSets } from '../words-about-us.ts';

/** Phrases (see `phrasePattern`), each with the reply that taught it: code, perhaps an enhanced code, text. */
export type Phrases = Readonly<Record<string, string>>;

/** When a rule applies: every condition that is given must hold. */
type Condition = {
  /** Reply classes; by default both 4 and 5, or 5 alone if the label condemns the mailbox. */
  classes?: readonly (4 | 5)[];
  codes?: readonly number[];
  /** Enhanced status codes, `*` for any part: `5.2.2`, `*.2.2`, `*.7.*`. */
  enhanced?: readonly string[];
  /** Enhanced status codes under which the rule is silent. */
  unlessEnhanced?: readonly string[];
  providers?: readonly ProviderId[];
  /** One of these phrases occurs. */
  text?: Phrases;
  /** Silent if one of these phrases occurs; the sample is a reply that the rule would take without the phrase. */
  unless?: Phrases;
  /** Only the words about the recipient are looked at; always so if the label condemns the mailbox. */
  aboutRecipient?: true;
  /** Silent if the reply says anything of us: beside such words, a code alone condemns no mailbox. */
  unlessAboutUs?: true;
};

/**
 * One thing learned about the words of servers. The samples are replies as a server would send them. The test runs
 * each through the whole classifier and expects this rule's label and reason, so no rule is shadowed by an earlier
 * one.
 */
export type Rule = {
  reason: ReplyReason;
  label: ReplyLabel;
  when: Condition;
  /** Further samples, besides those of its phrases. */
  samples?: readonly string[];
};

export function samplesOf({ when, samples = [] }: Rule): string[] {
  return [...Object.values(when.text ?? {}), ...samples];
}

/** A rule ready to be asked. */
type PreparedRule = { rule: Rule; matches: (reply: PlainReply) => boolean };

export function prepareRule(rule: Rule): PreparedRule {
  const { when } = rule;
  const condemns = condemnsMailbox(rule.label);
  const classes: readonly number[] = when.classes ?? (condemns ? [5] : [4, 5]);
  const wordsOf = ({ words, wordsAboutRecipient }: PlainReply): string =>
    condemns || when.aboutRecipient ? wordsAboutRecipient : words;
  const hasText = matcherOf(when.text);
  const hasException = matcherOf(when.unless);
  return {
    rule,
    matches: (reply) =>
      classes.includes(reply.replyClass) &&
      (when.codes?.includes(reply.code) ?? true) &&
      (when.providers === undefined ||
        (reply.provider !== undefined && when.providers.includes(reply.provider))) &&
      (when.enhanced?.some((pattern) => enhancedMatches(pattern, reply.enhanced)) ?? true) &&
      !(when.unlessEnhanced?.some((pattern) => enhancedMatches(pattern, reply.enhanced)) ?? false) &&
      !(when.unlessAboutUs === true && reply.words !== reply.wordsAboutRecipient) &&
      (hasText?.(wordsOf(reply)) ?? true) &&
      !(hasException?.(reply.words) ?? false),
  };
}

type Matcher = (words: string) => boolean;

/** One expression for all phrases pays for a process that reads more different replies than this. */
const asksOneByOne = 20;

/**
 * Returns a test whether one of the phrases occurs. Making the expressions of all rules takes far longer than
 * reading a reply. So at first only the phrases whose necessary words are in a reply get one.
 */
export function matcherOf(phrases: Phrases = {}): Matcher | undefined {
  const spellings = Object.keys(phrases);
  if (spellings.length === 0) return undefined;
  let asksLeft = asksOneByOne;
  let matchers: Matcher[] | undefined;
  let pattern: RegExp | undefined;
  return (words) => {
    if (pattern !== undefined) return pattern.test(words);
    matchers ??= spellings.map(phraseMatcher);
    asksLeft -= 1;
    if (asksLeft <= 0) pattern = phrasePattern(spellings);
    return matchers.some((matches) => matches(words));
  };
}

/** Returns the test for one phrase that is seldom used. */
function phraseMatcher(phrase: string): Matcher {
  const needs = needsOf(phrase);
  let pattern: RegExp | undefined;
  return (words) => meetsNeeds(words, needs) && (pattern ??= phrasePattern([phrase])).test(words);
}

/** Whether a label ends in a verdict against the mailbox; the gravest mistake is to give one wrongly. */
export function condemnsMailbox(label: ReplyLabel): boolean {
  return label === 'mailbox_not_exist' || label === 'mailbox_disabled';
}

function enhancedMatches(pattern: string, enhanced: string | undefined): boolean {
  if (enhanced === undefined) return false;
  const parts = enhanced.split('.');
  return pattern.split('.').every((part, index) => part === '*' || part === parts[index]);
}

/**
 * Phrases in which the rules are written. A rule's text is matched against a reply in the plain words of
 * `normaliseText`: lower case, single spaces, no punctuation but ` . ` between sentences, ` addr ` for every
 * address.
 *
 *     user unknown              these words, next to each other, anywhere in the reply
 *     users? unknown            the letter before the mark may be missing
 *     (user|mailbox) unknown    one of these
 *     user (is|was)? unknown    with or without
 *     {who} ~ unknown           up to six words of the same sentence may stand between
 *     deactivat*  *spamhaus*    any ending, any beginning
 *     user rejected $           at the end of a sentence
 *     {who}                     a set of words of `words-about-us.ts`
 *
 * Every word compiles to an expression that ends at a space and a gap is bounded. So no part can match the same
 * characters in many ways, and the time stays linear in the length of the text.
 */

const gap = String.raw`(?:(?!\. )\S+ ){0,6}`;

/**
 * Returns one expression for all the phrases, which matches if any of them occurs. No `u` flag: no phrase needs a
 * character beyond the basic plane, and with the flag a text outside Latin-1 takes four times as long.
 */
export function phrasePattern(phrases: readonly string[]): RegExp {
  return new RegExp(` (?:${phrases.map(phraseSource).join('|')})`);
}

/** Compiles a phrase. A word compiles to itself and the space after it, so that groups nest without further ado. */
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

/**
 * The letters that a text must hold for a phrase to occur in it, read from the phrase itself. Looking for letters
 * costs next to nothing, making an expression costs much, and a reply lacks the words of most phrases.
 */

/**
 * Letters that stand somewhere in the text, each of several needs, or one of several. Every text has the empty
 * string.
 */
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

/** Returns the needs that all choices share: a piece that one choice can do without is not needed. */
function oneOf(one: Needs[]): Needs {
  if (one.includes('')) return '';
  return one.length === 1 ? (one[0] ?? '') : { one };
}

function eachOf(parts: Needs[]): Needs {
  const each = parts.length > 1 ? parts.filter((needs) => needs !== '') : parts;
  return each.length > 1 ? { each } : (each[0] ?? '');
}

/**
 * Returns the piece that a word needs. A word stands between spaces; of one with open ends or an optional letter,
 * the longest piece is needed.
 */
function needsOfWord(word: string): string {
  if (word === '~' || word === '$' || word.startsWith('{')) return '';
  const spaced = ` ${word} `;
  if (!word.includes('*') && !word.includes('?')) return spaced;
  return spaced.split(OPEN).reduce((longest, piece) => (piece.length > longest.length ? piece : longest));
}

const OPEN = /\*\?*|.\?+/su;
