import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Caller } from '../keys/authenticate.ts';
import type { CountedVerification } from './count-singles.ts';
import { addressOf } from '../../../test/support/address-of.ts';
import { email } from '../../../test/support/open-verify-one-fixture.ts';
import { safe } from '../../../test/support/outcomes.ts';
import { countSingles } from './count-singles.ts';
import type { VerifyOneAnswer } from './verify-one.ts';

const verdict = safe(email);
assert.ok(verdict.kind === 'verdict');
const verified = (replayed: boolean): VerifyOneAnswer => ({
  ...verdict,
  kind: 'verified',
  creditsUsed: 1,
  replayed,
});

async function countedOf(answer: VerifyOneAnswer, mode: Caller['mode'] = 'live'): Promise<string[]> {
  const noted: CountedVerification[] = [];
  const note = (one: CountedVerification) => void noted.push(one);
  const counting = countSingles(() => Promise.resolve(answer), { note });
  const caller: Caller = { accountId: 'a', keyId: 'k', mode, plan: 'paid' };
  const signal = new AbortController().signal;
  const address = addressOf(email);
  const request = { requestId: 'r', caller, address, idempotency: undefined, explain: false, signal };
  assert.equal(await counting(request), answer);
  return noted.map(({ outcome }) => outcome);
}

test('a live single is counted as it came out, a replay and the sandbox are not', async () => {
  assert.deepEqual(await countedOf(verified(false)), ['safe']);
  assert.deepEqual(await countedOf(verified(true)), []);
  assert.deepEqual(await countedOf(verified(false), 'test'), []);
});

test('a single that could not be verified is counted, one that was refused is not', async () => {
  assert.deepEqual(await countedOf({ kind: 'timeout' }), ['verification_timeout']);
  assert.deepEqual(await countedOf({ kind: 'unavailable' }), ['verification_unavailable']);
  assert.deepEqual(await countedOf({ kind: 'insufficient_credits' }), []);
});
