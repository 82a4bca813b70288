import type { ReplyLabel } from '../meaning.ts';
import type { ProviderId } from '../providers.ts';
import type { PlainReply } from '../normalise-reply.ts';
import type { ReplyReason } from '../reply-reasons.ts';
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
  const text = patternOf(when.text);
  const unless = patternOf(when.unless);
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
      (text?.test(wordsOf(reply)) ?? true) &&
      !(unless?.test(reply.words) ?? false),
  };
}

function patternOf(phrases: Phrases = {}): RegExp | undefined {
  const spellings = Object.keys(phrases);
  return spellings.length === 0 ? undefined : phrasePattern(spellings);
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
