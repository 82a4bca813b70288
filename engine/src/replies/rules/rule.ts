import type { ReplyLabel, ReplyReason } from '../meaning.ts';
import type { PlainReply } from '../normalise-reply.ts';
import type { ProviderId } from '../providers.ts';
import { wordSets } from '../words-about-us.ts';

/** Phrases (see `phrasePattern`), each with the reply that taught it: code, perhaps an enhanced code, text. */
export type Phrases = Readonly<Record<string, string>>;

/** When a rule speaks: every condition that is given must hold. */
type Condition = {
  /** Reply classes; left out, both 4 and 5, or 5 alone where the label condemns the mailbox. */
  classes?: readonly (4 | 5)[];
  codes?: readonly number[];
  /** Enhanced status codes, `*` for any part: `5.2.2`, `*.2.2`, `*.7.*`. */
  enhanced?: readonly string[];
  /** Enhanced status codes under which the rule is silent. */
  unlessEnhanced?: readonly string[];
  providers?: readonly ProviderId[];
  /** One of these phrases occurs. */
  text?: Phrases;
  /** None of these phrases occurs; the sample is a reply that the rule would take if the phrase were not there. */
  unless?: Phrases;
  /** Only what is said of the recipient is looked at; always so where the label condemns the mailbox. */
  aboutRecipient?: true;
  /** Silent where the reply says anything of us: beside such words, a code alone condemns nobody. */
  unlessAboutUs?: true;
};

/**
 * One thing learned about what servers say. The samples are replies as a server would send them; the test runs each
 * through the whole classifier and expects this rule's label and reason, so no rule is shadowed by an earlier one.
 */
export type Rule = {
  reason: ReplyReason;
  label: ReplyLabel;
  when: Condition;
  /** Besides those of its phrases. */
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

/** To make the expression of all phrases pays for a process that reads so many different replies. */
const asksOneByOne = 20;

/**
 * Whether one of the phrases occurs. To make the expressions of all rules takes far longer than to read a reply, so at
 * first only those phrases get one that have the words they need in a reply.
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

/** For one phrase that is asked seldom. */
function phraseMatcher(phrase: string): Matcher {
  const needs = needsOf(phrase);
  let pattern: RegExp | undefined;
  return (words) => meetsNeeds(words, needs) && (pattern ??= phrasePattern([phrase])).test(words);
}

/** The two labels that end in a verdict against the mailbox; the gravest mistake is to give one wrongly. */
export function condemnsMailbox(label: ReplyLabel): boolean {
  return label === 'mailbox_not_exist' || label === 'mailbox_disabled';
}

function enhancedMatches(pattern: string, enhanced: string | undefined): boolean {
  if (enhanced === undefined) return false;
  const parts = enhanced.split('.');
  return pattern.split('.').every((part, index) => part === '*' || part === parts[index]);
}

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
 *     {who}                     a set of words of `words-about-us.ts`
 *
 * Every word compiles to an expression that ends at a space and a gap is bounded, so no part can match the same
 * characters in many ways and the time stays linear in the length of the text.
 */

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

/**
 * What a text must hold for a phrase to occur in it, read from the phrase itself. To look for letters costs next to
 * nothing, to make an expression much; and of most phrases a reply does not have the words.
 */

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
