import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { aBatch, ask, bulk, refusal } from '../../../../test/support/http/ask.ts';
import { taskId } from '../../../../test/support/http/test-parts.ts';

describe('POST bulk', () => {
  test('201: the counts, and what the task holds', async () => {
    const answer = await ask(
      { url: bulk, body: { emails: ['a@example.com', 'A@example.com', 'no address'], name: 'Spring' } },
      {
        createTask: ({ emails, name }) => {
          assert.deepEqual([emails.length, name], [3, 'Spring']);
          const counts = { submitted: 3, duplicatesRemoved: 1, rejected: 1, processing: 1 };
          return Promise.resolve({ kind: 'created', taskId, counts, creditsUsed: 1, replayed: false });
        },
      },
    );
    assert.equal(answer.status, 201);
    assert.deepEqual(answer.body, {
      status: 'success',
      task_id: taskId,
      count_submitted: 3,
      count_duplicates_removed: 1,
      count_rejected_emails: 1,
      count_processing: 1,
    });
    assert.equal(answer.headers['x-credits-used'], '1');
  });

  test('201: a name is 25 code points, however many units they take', async () => {
    for (const name of ['', '😀'.repeat(25), 'x'.repeat(25)]) {
      assert.equal((await ask({ url: bulk, body: { ...aBatch, name } })).status, 201, name);
    }
  });

  test('201: strings that are no address do not fail the batch', async () => {
    assert.equal(
      (await ask({ url: bulk, body: { emails: ['', 'x', 'y'.repeat(1_000), '\0'] } })).status,
      201,
    );
  });

  test('400: what is no valid batch', async () => {
    const bodies: unknown[] = [
      {},
      { emails: 'a@example.com' },
      { emails: {} },
      { emails: [] },
      { emails: Array(101).fill('a@example.com') },
      { emails: ['a@example.com', 1] },
      { emails: [null] },
      { emails: [['a@example.com']] },
      { ...aBatch, name: 1 },
      { ...aBatch, name: null },
      { ...aBatch, name: '😀'.repeat(26) },
      { ...aBatch, name: 'a\0b' },
      `{"emails":["a@example.com"],"name":"\\ud800"}`,
      [],
      '{',
    ];
    for (const body of bodies) {
      const answer = await ask({ url: bulk, body });
      assert.equal(answer.status, 400, JSON.stringify(body));
      assert.deepEqual(answer.body, refusal('invalid_batch'));
      assert.deepEqual(answer.calls, ['authenticate']);
    }
  });

  test('401, 403: before the body is looked at', async () => {
    assert.deepEqual((await ask({ url: bulk, key: undefined, body: '{' })).body, refusal('invalid_api_key'));
    assert.deepEqual(
      (await ask({ url: bulk, key: 'unpaid', body: '{' })).body,
      refusal('subscription_required'),
    );
  });

  test('405: every other method', async () => {
    for (const method of ['GET', 'PUT', 'PATCH', 'DELETE', 'HEAD', 'OPTIONS'] as const) {
      const answer = await ask({ method, url: bulk, key: undefined });
      assert.deepEqual([answer.status, answer.headers['allow']], [405, 'POST'], method);
    }
  });

  test('409, 422, 429, 503: as the task could not be created', async () => {
    const expected = {
      request_in_progress: [409, 'request_in_progress'],
      idempotency_mismatch: [422, 'idempotency_mismatch'],
      insufficient_credits: [429, 'insufficient_credits'],
      account_frozen: [503, 'service_unavailable'],
    } as const;
    for (const kind of Object.keys(expected) as (keyof typeof expected)[]) {
      const answer = await ask({ url: bulk, body: aBatch }, { createTask: () => Promise.resolve({ kind }) });
      assert.deepEqual([answer.status, answer.body], [expected[kind][0], refusal(expected[kind][1])]);
    }
  });
});
