import type { ReplyLabel } from '../meaning.ts';
import type { ProviderId } from '../providers.ts';
import type { NormalisedReply } from '../normalise-reply.ts';
import type { ReplyReason } from '../reply-reasons.ts';
import { phrasePattern } from './phrase.ts';

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
  /** One of these phrases occurs (see `phrase.ts`). */
  text?: readonly string[];
  /** None of these phrases occurs. */
  unless?: readonly string[];
};

/**
 * One thing learned about what servers say. The samples are replies as a server would send them; the test runs each
 * through the whole classifier and expects this rule's label and reason, so no rule is shadowed by an earlier one.
 */
export type Rule = {
  reason: ReplyReason;
  label: ReplyLabel;
  when: Condition;
  samples: readonly [string, ...string[]];
};

/** A rule ready to be asked. */
type PreparedRule = { rule: Rule; matches: (reply: NormalisedReply) => boolean };

export function prepareRule(rule: Rule): PreparedRule {
  const { when } = rule;
  const classes: readonly number[] = when.classes ?? (condemnsMailbox(rule.label) ? [5] : [4, 5]);
  const text = when.text && phrasePattern(when.text);
  const unless = when.unless && phrasePattern(when.unless);
  return {
    rule,
    matches: (reply) =>
      classes.includes(reply.replyClass) &&
      (when.codes?.includes(reply.code) ?? true) &&
      (when.providers === undefined ||
        (reply.provider !== undefined && when.providers.includes(reply.provider))) &&
      (when.enhanced?.some((pattern) => enhancedMatches(pattern, reply.enhanced)) ?? true) &&
      !(when.unlessEnhanced?.some((pattern) => enhancedMatches(pattern, reply.enhanced)) ?? false) &&
      (text?.test(reply.words) ?? true) &&
      !(unless?.test(reply.words) ?? false),
  };
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
