import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { StoreUnavailableError } from '../../store/store-unavailable-error.ts';
import type { VerifyOneAnswer } from '../../verify/verify-one.ts';
import {
  aBatch,
  anAddress,
  ask,
  bulk,
  refusal,
  single,
  verifiedWith,
} from '../../../../test/support/http/ask.ts';
import type { WholeHttpParts } from '../../../start/whole-server.ts';
import { createTestParts, unknownVerdict } from '../../../../test/support/http/test-parts.ts';

describe('POST single', () => {
  test('200: the verdict as the engine gave it, and what it cost', async () => {
    const verdict = unknownVerdict('jane@example.com');
    const answer = await ask({ body: anAddress });
    assert.equal(answer.status, 200);
    assert.deepEqual(answer.body, verdict);
    assert.equal(answer.headers['x-credits-used'], '0');
    assert.equal(answer.headers['cache-control'], 'no-store');
    assert.equal(answer.headers['vary'], 'Authorization');
  });

  test('200: a charge is told in X-Credits-Used', async () => {
    const answer = await ask({ body: anAddress }, { verifyOne: verifiedWith({ creditsUsed: 1 }) });
    assert.equal(answer.headers['x-credits-used'], '1');
  });

  test('200: white space is trimmed before the 254 characters are counted', async () => {
    const email = `${'a'.repeat(64)}@${'b'.repeat(60)}.${'c'.repeat(60)}.${'d'.repeat(60)}.test`;
    assert.equal(email.length, 252);
    let seen = '';
    const answer = await ask(
      { body: { email: ` \t${email}\n   ` } },
      { verifyOne: (request) => ((seen = request.address.email), verifiedWith({})(request)) },
    );
    assert.equal(answer.status, 200);
    assert.equal(seen, email);
  });

  test('200: extra properties are ignored and handed to nobody', async () => {
    let seen: object = {};
    const answer = await ask(
      { body: { ...anAddress, plan: 'paid', credits: 1e9, account_id: 'x' } },
      { verifyOne: (request) => ((seen = request), verifiedWith({})(request)) },
    );
    assert.equal(answer.status, 200);
    assert.deepEqual(Object.keys(seen), [
      'requestId',
      'caller',
      'address',
      'idempotency',
      'explain',
      'isFresh',
      'signal',
    ]);
  });

  test('200: Cache-Control: no-cache asks the mail host anew, anything else does not', async () => {
    const isFresh = async (headers: Record<string, string>): Promise<unknown> => {
      let seen: { isFresh?: boolean } = {};
      const verifyOne: WholeHttpParts['verifyOne'] = (request) => (
        (seen = request),
        verifiedWith({})(request)
      );
      assert.equal((await ask({ body: anAddress, headers }, { verifyOne })).status, 200);
      return seen.isFresh;
    };
    assert.equal(await isFresh({ 'cache-control': 'no-cache' }), true);
    assert.equal(await isFresh({ 'cache-control': 'max-age=0, No-Cache' }), true);
    for (const value of ['max-age=0', 'no-store', 'x-no-cache', ''])
      assert.equal(await isFresh({ 'cache-control': value }), false, value);
    assert.equal(await isFresh({}), false);
  });

  test('200: explain=true adds the explanation, anything else does not', async () => {
    const explained = await ask({ url: `${single}?explain=true`, body: anAddress });
    assert.ok(
      typeof explained.body === 'object' && explained.body !== null && 'explanation' in explained.body,
    );
    for (const query of [
      '',
      '?explain=false',
      '?explain=1',
      '?explain=true&explain=true',
      '?explain[]=true',
    ]) {
      const plain = await ask({ url: `${single}${query}`, body: anAddress });
      assert.equal(plain.status, 200);
      assert.ok(
        typeof plain.body === 'object' && plain.body !== null && !('explanation' in plain.body),
        query,
      );
    }
  });

  test('400: what is no valid email', async () => {
    const long = `a@${'b'.repeat(63)}.${'c'.repeat(63)}.${'d'.repeat(63)}.${'e'.repeat(60)}.test`;
    const bodies = [
      {},
      { email: 1 },
      { email: null },
      { email: ['a@example.com'] },
      { email: '' },
      { email: '  ' },
    ];
    for (const body of [
      ...bodies,
      { email: 'nobody' },
      { email: long },
      [],
      'null',
      '"a@example.com"',
      '{',
      '',
    ]) {
      const answer = await ask({ body });
      assert.equal(answer.status, 400, JSON.stringify(body));
      assert.deepEqual(answer.body, refusal('invalid_email'));
      assert.deepEqual(answer.calls, ['authenticate']);
    }
  });

  test('400: no body at all', async () => {
    assert.deepEqual((await ask({})).body, refusal('invalid_email'));
  });

  test('401: a key that is missing or unknown, before the body is looked at', async () => {
    for (const key of [undefined, 'nobody']) {
      const answer = await ask({ key, body: '{' });
      assert.equal(answer.status, 401);
      assert.deepEqual(answer.body, refusal('invalid_api_key'));
      assert.equal(answer.headers['www-authenticate'], 'Bearer');
    }
  });

  test('403: no active plan, before the body is looked at', async () => {
    const answer = await ask({ key: 'unpaid', body: '{' });
    assert.equal(answer.status, 403);
    assert.deepEqual(answer.body, refusal('subscription_required'));
  });

  test('405: every method but POST, before anything is asked of anybody', async () => {
    for (const method of ['GET', 'PUT', 'PATCH', 'DELETE', 'HEAD', 'OPTIONS'] as const) {
      const answer = await ask({ method, key: undefined });
      assert.equal(answer.status, 405, method);
      assert.equal(answer.headers['allow'], 'POST');
      assert.equal(answer.headers['x-credits-used'], '0');
      assert.deepEqual(answer.calls, []);
    }
  });

  const answers: [number, string, VerifyOneAnswer][] = [
    [409, 'request_in_progress', { kind: 'request_in_progress' }],
    [422, 'idempotency_mismatch', { kind: 'idempotency_mismatch' }],
    [429, 'insufficient_credits', { kind: 'insufficient_credits' }],
    [502, 'verification_unavailable', { kind: 'unavailable' }],
    [503, 'service_unavailable', { kind: 'account_frozen' }],
    [504, 'verification_timeout', { kind: 'timeout' }],
  ];
  for (const [status, reason, given] of answers) {
    test(`${status}: ${given.kind}`, async () => {
      const answer = await ask({ body: anAddress }, { verifyOne: () => Promise.resolve(given) });
      assert.equal(answer.status, status);
      assert.deepEqual(answer.body, refusal(reason));
      assert.equal(answer.headers['retry-after'] !== undefined, status === 503 || status === 409);
    });
  }

  test('500: a defect of ours says nothing of itself', async () => {
    const answer = await ask(
      { body: anAddress },
      { verifyOne: () => Promise.reject(new Error("SELECT * FROM keys at /srv/app.ts 'jane@example.com'")) },
    );
    assert.equal(answer.status, 500);
    assert.deepEqual(answer.body, refusal('verification_failed'));
  });

  test('503: the store does not answer, whoever asks it first', async () => {
    const down = () => Promise.reject(new StoreUnavailableError('full'));
    for (const overrides of [{ authenticate: down }, { verifyOne: down }]) {
      const answer = await ask({ body: anAddress }, overrides);
      assert.equal(answer.status, 503);
      assert.deepEqual(answer.body, refusal('service_unavailable'));
      assert.ok(Number(answer.headers['retry-after']) >= 1);
    }
  });

  test('503: overload and drain are refused before the key is looked at', async () => {
    const parts = createTestParts();
    parts.overloadGuard.drain();
    const answer = await ask({ key: undefined, body: '{' }, { overloadGuard: parts.overloadGuard });
    assert.equal(answer.status, 503);
    assert.deepEqual(answer.calls, []);
    assert.equal(answer.headers['connection'], 'close');
  });
});

describe('Idempotency-Key', () => {
  test('is handed on with a hash over all that the answer depends on', async () => {
    const seen: string[] = [];
    const verifyOne: WholeHttpParts['verifyOne'] = (request) => {
      seen.push(`${request.idempotency?.key} ${request.idempotency?.bodyHash}`);
      return verifiedWith({})(request);
    };
    const headers = { 'idempotency-key': 'k1' };
    await ask({ headers, body: anAddress }, { verifyOne });
    await ask({ headers, body: { email: ' jane@example.com ', extra: 1 } }, { verifyOne });
    await ask({ headers, body: { email: 'joan@example.com' } }, { verifyOne });
    await ask({ headers, key: 'test', body: anAddress }, { verifyOne });
    assert.match(seen[0]!, /^k1 [0-9a-f]{64}$/);
    assert.equal(seen[1], seen[0], 'the same fields');
    assert.equal(new Set(seen).size, 3, 'another address, another mode');
  });

  test('400: empty, over 255, blank or not ASCII', async () => {
    for (const bad of ['', 'a'.repeat(256), 'a b', 'a\tb', 'é']) {
      const headers = { 'idempotency-key': bad };
      assert.deepEqual((await ask({ headers, body: anAddress })).body, refusal('invalid_email'), bad);
      assert.deepEqual((await ask({ url: bulk, headers, body: aBatch })).body, refusal('invalid_batch'), bad);
    }
    assert.equal(
      (await ask({ headers: { 'idempotency-key': '~'.repeat(255) }, body: anAddress })).status,
      200,
    );
  });
});
