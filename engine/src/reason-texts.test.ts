import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { reasonGroups, reasonText } from './reason-texts.ts';
import { allRules } from './replies/rules/all-rules.ts';

describe('reasons', () => {
  const all = reasonGroups.flatMap(({ texts }) => Object.entries(texts));

  test('each has one name in snake_case and one sentence, and no two share either', () => {
    for (const [reason, text] of all) {
      assert.match(reason, /^[a-z]+(?:_[a-z]+|8)*$/u);
      assert.ok(text.length > 10 && !text.endsWith('.'), reason);
    }
    assert.equal(new Set(all.map(([reason]) => reason)).size, all.length);
    assert.equal(new Set(all.map(([, text]) => text)).size, all.length);
  });

  test('every reason a reply may be given is given by a rule, but those the classifier adds itself', () => {
    const given = new Set<string>(allRules.map(({ reason }) => reason));
    const said = reasonGroups.find(({ about }) => about === 'What the mail host said');
    const never = Object.keys(said?.texts ?? {}).filter((reason) => !given.has(reason));
    assert.deepEqual(never, ['accepted', 'deferred_by_gateway', 'not_a_final_reply']);
  });

  test('a reason nobody knows has no sentence, whatever it is called', () => {
    assert.equal(reasonText('null_mx'), 'the domain says that it takes no mail (null MX)');
    assert.equal(reasonText('no_such_reason'), undefined);
    assert.equal(reasonText('toString'), undefined);
  });
});
