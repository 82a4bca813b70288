import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { reasonGroups, reasonText } from './reason-texts.ts';

describe('the texts of reasons', () => {
  const all = Object.values(reasonGroups).flatMap(({ texts }) => Object.entries(texts));

  test('each reason has one name in snake_case and whole sentences, and no two share either', () => {
    for (const [reason, text] of all) {
      assert.match(reason, /^[a-z]+(?:_[a-z]+|8)*$/u);
      assert.match(text, /^[A-Z].{8,}\.$/u, reason);
    }
    assert.equal(new Set(all.map(([reason]) => reason)).size, all.length);
    assert.equal(new Set(all.map(([, text]) => text)).size, all.length);
  });

  test('a reason that is not known has no text, whatever it is called', () => {
    assert.equal(reasonText('null_mx'), 'The domain declares that it accepts no mail (null MX).');
    assert.equal(reasonText('no_such_reason'), undefined);
    assert.equal(reasonText('toString'), undefined);
  });
});
