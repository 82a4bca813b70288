import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { readReplyLine } from '../../../test/support/read-reply-line.ts';
import { classifyReply } from '../classifier/classify-reply.ts';
import type { ReplyToClassify } from '../meaning.ts';
import { normaliseReply } from '../normalise-reply.ts';
import { accusationExceptions, accusations } from './accusations.ts';
import { allRules } from './all-rules.ts';
import { matcherOf, prepareRule } from './rule.ts';
import type { Phrases, Rule } from './rule.ts';

function replyOf(sample: string, { when }: Rule): ReplyToClassify {
  return readReplyLine(sample, when.providers?.[0]);
}

describe('every sample means what the rule it taught says', () => {
  for (const rule of allRules) {
    for (const sample of rule.samples ?? []) {
      test(`${rule.label}/${rule.reason}: ${sample}`, () => {
        const { label, reason } = rule;
        assert.deepEqual(classifyReply(replyOf(sample, rule)), { label, reason });
      });
    }
  }

  test('and no rule is without one', () => {
    for (const { reason, when, samples = [] } of allRules) {
      assert.ok(samples.length > 0 || when.text !== undefined, reason);
    }
  });
});

/** The rules that use a phrase with its sample; a phrase that two rules share has to earn its place in one. */
function usersOf(which: 'text' | 'unless'): Map<string, { phrase: string; sample: string; rules: Rule[] }> {
  const users = new Map<string, { phrase: string; sample: string; rules: Rule[] }>();
  for (const rule of allRules) {
    for (const [phrase, sample] of Object.entries(rule.when[which] ?? {})) {
      const key = `${phrase}\t${sample}`;
      users.set(key, { phrase, sample, rules: [...(users.get(key)?.rules ?? []), rule] });
    }
  }
  return users;
}

function matches(rule: Rule, sample: string): boolean {
  return prepareRule(rule).matches(normaliseReply(replyOf(sample, rule)));
}

function withText(rule: Rule, text: Phrases): Rule {
  return { ...rule, when: { ...rule.when, text } };
}

describe('every phrase matches its sample, and the sample means what the rule says', () => {
  for (const { phrase, sample, rules } of usersOf('text').values()) {
    test(`${phrase}: ${sample}`, () => {
      const rule = rules.find((user) => matches(withText(user, { [phrase]: sample }), sample));
      assert.ok(rule, 'the phrase does not match its sample');
      const { label, reason } = rule;
      assert.deepEqual(classifyReply(replyOf(sample, rule)), { label, reason });
    });
  }
});

describe('every exception keeps its sample from a rule that would take it', () => {
  for (const { phrase, sample, rules } of usersOf('unless').values()) {
    test(`${phrase}: ${sample}`, () => {
      assert.ok(
        rules.some((rule) => {
          const others = Object.fromEntries(
            Object.entries(rule.when.unless!).filter(([other]) => other !== phrase),
          );
          const without = { ...rule, when: { ...rule.when, unless: others } };
          return matches(without, sample) && !matches(rule, sample);
        }),
      );
    });
  }
});

describe('an accusation outranks what is said beside it', () => {
  const isOfMailbox = (label: string) => /^mailbox_/u.test(label);

  for (const [phrase, sample] of Object.entries(accusations)) {
    test(`${phrase}: ${sample}`, () => {
      const reply = readReplyLine(sample);
      const { words } = normaliseReply(reply);
      assert.ok(matcherOf({ [phrase]: sample })?.(words), 'the phrase does not match its sample');
      assert.equal(classifyReply(reply).label, 'blocked_or_policy');
      const others = Object.fromEntries(Object.entries(accusations).filter(([other]) => other !== phrase));
      assert.ok(!matcherOf(others)?.(words), 'another phrase matches the sample too');
      assert.ok(
        allRules.some((rule) => isOfMailbox(rule.label) && prepareRule(rule).matches(normaliseReply(reply))),
        'nothing is said beside it',
      );
    });
  }

  for (const [phrase, sample] of Object.entries(accusationExceptions)) {
    test(`but not: ${phrase}: ${sample}`, () => {
      assert.ok(matcherOf(accusations)?.(normaliseReply(readReplyLine(sample)).words), 'nobody is accused');
      assert.ok(isOfMailbox(classifyReply(readReplyLine(sample)).label));
    });
  }
});
