import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { readReplyLine } from '../../../test/support/read-reply-line.ts';
import { normaliseReply } from '../normalise-reply.ts';
import { allRules } from './all-rules.ts';
import { meetsNeeds, needsOf } from './phrase-needs.ts';
import { phrasePattern, phrasePieces } from './phrase.ts';
import { matcherOf, samplesOf } from './rule.ts';

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
