import assert from 'node:assert/strict';
import { test } from 'node:test';
import { replyReasons } from './reply-reasons.ts';
import { allRules } from './rules/all-rules.ts';

test('every reason a reply may be given is given by a rule, but those the classifier adds itself', () => {
  const given = new Set<string>(allRules.map(({ reason }) => reason));
  const never = replyReasons.filter((reason) => !given.has(reason));
  assert.deepEqual(never, ['accepted', 'deferred_by_gateway', 'not_a_final_reply']);
});
