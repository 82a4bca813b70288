import assert from 'node:assert/strict';
import { test, describe } from 'node:test';
import fc from 'fast-check';
import { readReplyLine } from '../../../test/support/read-reply-line.ts';
import { normaliseReply } from '../normalise-reply.ts';
import { allRules } from './all-rules.ts';
import { phrasePattern, meetsNeeds, needsOf, phrasePieces, matcherOf, samplesOf } from './rule.ts';

function occurs(phrase: string, text: string): boolean {
  return phrasePattern([phrase]).test(` ${text} `);
}

test('whole words match, parts of words do not', () => {
  assert.ok(occurs('user unknown', 'the user unknown here'));
  assert.ok(!occurs('user unknown', 'superuser unknown'));
  assert.ok(!occurs('full', 'successfully'));
});

test('choices, options, endings and sets', () => {
  assert.ok(occurs('(user|mailbox) (is|was)? unknown', 'mailbox was unknown'));
  assert.ok(occurs('(user|mailbox) (is|was)? unknown', 'user unknown'));
  assert.ok(occurs('deactivat*', 'deactivated'));
  assert.ok(occurs('*greylist*', 'postgreylisting'));
  assert.ok(occurs('users? gone', 'user gone') && occurs('users? gone', 'users gone'));
  assert.ok(occurs('(too (large|big)|oversize)', 'too big'));
  assert.ok(occurs('{who} gone', 'recipient gone'));
});

test('a gap spans six words of one sentence and no more', () => {
  assert.ok(occurs('user ~ unknown', 'user a b c d e f unknown'));
  assert.ok(!occurs('user ~ unknown', 'user a b c d e f g unknown'));
  assert.ok(!occurs('user ~ unknown', 'user gone . reason unknown'));
});

test('the end of a sentence can be asked for', () => {
  assert.ok(occurs('rejected $', 'user rejected') && occurs('rejected $', 'rejected . see below'));
  assert.ok(!occurs('rejected $', 'rejected by policy'));
});

test('an unknown set is a mistake of ours', () => {
  assert.throws(() => phrasePattern(['{whom} gone']));
});

const phrases = [
  ...new Set(
    allRules.flatMap(({ when }) => [...Object.keys(when.text ?? {}), ...Object.keys(when.unless ?? {})]),
  ),
];

/** Every sample of every rule and exception, in plain words and in those about the recipient. */
const texts = [
  ...new Set(
    allRules.flatMap((rule) =>
      [...samplesOf(rule), ...Object.values(rule.when.unless ?? {})].flatMap((sample) => {
        const { words, wordsAboutRecipient } = normaliseReply(
          readReplyLine(sample, rule.when.providers?.[0]),
        );
        return [words, wordsAboutRecipient];
      }),
    ),
  ),
];

describe('the words that a phrase needs', () => {
  test('are in every sample in which the phrase occurs, and missing in most others', () => {
    let [asked, met] = [0, 0];
    for (const phrase of phrases) {
      const needs = needsOf(phrase);
      const pattern = phrasePattern([phrase]);
      for (const text of texts) {
        const isMet = meetsNeeds(text, needs);
        if (!isMet) assert.ok(!pattern.test(text), `${phrase}: ${text}`);
        asked += 1;
        if (isMet) met += 1;
      }
    }
    assert.ok(met < asked / 20, `${met} of ${asked}`);
  });

  test('change nothing in what a rule makes of any sample, however often it was asked', () => {
    for (const { when } of allRules) {
      for (const asked of [when.text, when.unless]) {
        if (asked === undefined) continue;
        const occurs = matcherOf(asked);
        const pattern = phrasePattern(Object.keys(asked));
        for (const text of texts) assert.equal(occurs?.(text), pattern.test(text), text);
      }
    }
  });

  test('are in every text of its own words in which it occurs', () => {
    let occurred = 0;
    for (const phrase of phrases) {
      const needs = needsOf(phrase);
      const pattern = phrasePattern([phrase]);
      const text = fc
        .array(fc.constantFrom(...spellingsIn(phrase)), { maxLength: 9 })
        .map((words) => ` ${words.join(' ')} `);
      fc.assert(
        fc.property(text, (said) => {
          if (!pattern.test(said)) return;
          occurred += 1;
          assert.ok(meetsNeeds(said, needs), `${phrase}: ${said}`);
        }),
        { numRuns: 60 },
      );
    }
    assert.ok(occurred > 5_000, `${occurred} texts`);
  });

  test('are told by choices, options, endings and letters that may be missing', () => {
    assert.deepEqual(needsOf('user (is|was)? unknown'), { each: [' user ', ' unknown '] });
    assert.deepEqual(needsOf('(user|no such (box|file)) ~ gone'), {
      each: [{ one: [' user ', { each: [' no ', ' such ', { one: [' box ', ' file '] }] }] }, ' gone '],
    });
    assert.deepEqual(needsOf('users? deactivat* *spamhaus* cancell?ed'), {
      each: [' user', ' deactivat', 'spamhaus', ' cancel'],
    });
    assert.equal(needsOf('{who} ~ (gone|{us}) $'), '');
    assert.equal(needsOf('(user)?'), '');
  });
});

/** The words of a phrase in all their spellings, and a few that stand for the rest. */
function spellingsIn(phrase: string): string[] {
  const words = phrasePieces(phrase).filter((piece) => !/^[()|~$]/u.test(piece));
  const spelled = words.flatMap((word) => [
    word.replaceAll('*', '').replaceAll('?', ''),
    word.replaceAll('*', 'x').replaceAll(/.\?/gsu, ''),
  ]);
  return [...spelled, 'user', 'sender', '.', 'some'];
}
