import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { classifyReply } from '../classifier/classify-reply.ts';
import { allRules } from './all-rules.ts';

/** A sample is a reply as it comes off the wire: code, perhaps an enhanced code, text. */
const replyLine = /^(?<code>\d{3}) (?:(?<enhanced>\d\.\d{1,3}\.\d{1,3}) )?(?<text>.*)$/u;

describe('every sample means what the rule it taught says', () => {
  for (const { reason, label, when, samples } of allRules) {
    for (const sample of samples) {
      test(`${label}/${reason}: ${sample}`, () => {
        const { code, enhanced, text } = replyLine.exec(sample)!.groups!;
        const meaning = classifyReply({
          code: Number(code),
          enhanced,
          text: text!,
          provider: when.providers?.[0],
        });
        assert.deepEqual(meaning, { label, reason });
      });
    }
  }
});
