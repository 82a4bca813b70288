import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { StoreUnavailableError } from '../../store/store-unavailable-error.ts';
import { ask, bulk, refusal, task } from '../../../../test/support/http/ask.ts';
import { taskId } from '../../../../test/support/http/test-parts.ts';

describe('GET task', () => {
  const get = { method: 'GET', url: task } as const;

  test('200: without a plan, free of charge', async () => {
    const answer = await ask(
      { ...get, key: 'unpaid' },
      {
        readTask: (request) => {
          assert.deepEqual([request.caller.accountId, request.taskId], ['account-unpaid', taskId]);
          return Promise.resolve({
            kind: 'task',
            taskId,
            name: 'API: x',
            status: 'running',
            total: 3,
            checked: 1,
            creditsUsed: 3,
            resultsJson: undefined,
          });
        },
      },
    );
    assert.equal(answer.status, 200);
    assert.equal(answer.headers['x-credits-used'], '3');
    assert.deepEqual(answer.body, {
      task_id: taskId,
      name: 'API: x',
      status: 'running',
      count_total: 3,
      count_checked: 1,
      progress_percentage: 33.33,
    });
  });

  test('401: before the task is looked for', async () => {
    const answer = await ask({ ...get, key: undefined });
    assert.equal(answer.status, 401);
    assert.deepEqual(answer.calls, ['authenticate']);
  });

  test('404: unknown, malformed and endless ids read alike', async () => {
    const ids = [
      taskId,
      'x',
      '%20',
      '..%2f..%2fetc',
      "1'%20OR%201=1",
      '__proto__',
      'a'.repeat(7_000),
      '%F0%9F%98%80',
    ];
    for (const id of ids) {
      const answer = await ask({ method: 'GET', url: `${bulk}/${id}` });
      assert.equal(answer.status, 404, id);
      assert.deepEqual(answer.body, refusal('task_not_found'));
      assert.equal(answer.headers['x-credits-used'], '0');
    }
  });

  test('405: every other method', async () => {
    for (const method of ['POST', 'PUT', 'PATCH', 'DELETE', 'HEAD', 'OPTIONS'] as const) {
      const answer = await ask({ method, url: task, key: undefined });
      assert.deepEqual([answer.status, answer.headers['allow'], answer.calls], [405, 'GET', []], method);
    }
  });

  test('503: the store does not answer', async () => {
    const answer = await ask(get, { readTask: () => Promise.reject(new StoreUnavailableError('busy')) });
    assert.equal(answer.status, 503);
  });
});
