import type { ReplyLabel } from '../meaning.ts';
import type { ProviderId } from '../providers.ts';
import type { PlainReply } from '../normalise-reply.ts';
import type { ReplyReason } from '../reply-reasons.ts';
import { meetsNeeds, needsOf } from './phrase-needs.ts';
import { phrasePattern } from './phrase.ts';

/** Phrases (see `phrase.ts`), each with the reply that taught it: code, perhaps an enhanced code, text. */
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
