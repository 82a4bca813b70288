import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, describe, test } from 'node:test';
import { createClient } from './create-client.ts';
import { systemParts } from './exchange.ts';
import { MailproofError, type FailureReason } from './mailproof-error.ts';
import { startStandIn, type Fault } from '../test/support/start-stand-in.ts';

const endings: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const end of endings.splice(0)) await end();
});

/** The faults befall the first requests in turn; waits are noted and not waited for. */
async function start(faults: Fault[] = [], retryAfter = '0') {
  const standIn = await startStandIn({ faultOf: ({ number }) => faults[number - 1] ?? 'none', retryAfter });
  endings.push(() => standIn.stop());
  const waits: number[] = [];
  const parts = {
    ...systemParts,
    random: () => 0,
    wait: (ms: number) => {
      waits.push(ms);
      return Promise.resolve();
    },
  };
  const client = createClient({ baseUrl: `${standIn.url}/`, apiKey: standIn.apiKey }, parts);
  return { standIn, client, waits };
}

/** Answers every request in the same way. */
async function startFixed(status: number, body: string): Promise<string> {
  const server = createServer((_request, response) => {
    response.writeHead(status, { 'content-type': 'text/html' }).end(body);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  endings.push(async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

const failsWith = (reason: FailureReason, status?: number) => (error: unknown) => {
  assert.ok(error instanceof MailproofError, String(error));
  assert.deepEqual([error.reason, error.status], [reason, status]);
  return true;
};

describe('verify', () => {
  test('answers as the API does, with credits and request id', async () => {
    const { client } = await start();
    const answer = await client.verify('ada@example.com');
    assert.deepEqual([answer.email, answer.status, answer.creditsUsed], ['ada@example.com', 'safe', 1]);
    assert.equal(answer.requestId, 'request-1');
    assert.equal(answer.explanation, undefined);
    const explained = await client.verify('unknown@example.com', { explain: true });
    assert.deepEqual([explained.explanation?.reason, explained.creditsUsed], ['greylisted', 0]);
  });

  test('an error of the contract is thrown with reason, status and request id', async () => {
    const { client } = await start();
    await assert.rejects(client.verify('nonsense'), (error) => {
      assert.ok(error instanceof MailproofError);
      assert.equal(error.requestId, 'request-1');
      return failsWith('invalid_email', 400)(error);
    });
  });

  test('a lost answer is not asked for again without an idempotency key: it may have been charged', async () => {
    const { client, standIn } = await start(['lose_answer']);
    await assert.rejects(client.verify('ada@example.com'), failsWith('network_error'));
    assert.equal(standIn.counts.requests, 1);
  });

  test('with an idempotency key it is asked for again and charged once', async () => {
    const { client, standIn } = await start(['lose_answer', 'lose_request']);
    assert.equal((await client.verify('ada@example.com', { idempotencyKey: 'k' })).status, 'safe');
    assert.deepEqual([standIn.counts.requests, standIn.counts.spent, standIn.counts.replays], [3, 1, 1]);
  });

  test('503 is tried again without a key, not before Retry-After, and not for ever', async () => {
    const { client, standIn, waits } = await start(['refuse', 'refuse'], '3');
    assert.equal((await client.verify('ada@example.com')).status, 'safe');
    assert.deepEqual(waits, [3_000, 3_000]);
    assert.equal(standIn.counts.spent, 1);
    const refused = await start(Array<Fault>(99).fill('refuse'));
    await assert.rejects(refused.client.verify('ada@example.com'), failsWith('service_unavailable', 503));
    assert.equal(refused.standIn.counts.requests, 10);
  });

  test('no verdict is an answer, not a fault to be tried again, even with a key', async () => {
    for (const [status, reason] of [
      [502, 'verification_unavailable'],
      [504, 'verification_timeout'],
      [500, 'verification_failed'],
    ] as const) {
      const baseUrl = await startFixed(status, JSON.stringify({ status: 'error', reason }));
      const parts = { ...systemParts, wait: () => Promise.reject(new Error('waited')) };
      const client = createClient({ baseUrl, apiKey: 'k' }, parts);
      await assert.rejects(
        client.verify('a@example.com', { idempotencyKey: 'k' }),
        failsWith(reason, status),
      );
    }
  });

  test("the caller's abort comes back as it is, in the middle of a request", async () => {
    const silent = createServer(() => undefined);
    await new Promise<void>((resolve) => silent.listen(0, '127.0.0.1', resolve));
    endings.push(async () => {
      silent.closeAllConnections();
      await new Promise((resolve) => silent.close(resolve));
    });
    const baseUrl = `http://127.0.0.1:${(silent.address() as AddressInfo).port}`;
    const abort = new AbortController();
    silent.once('request', () => abort.abort(new Error('enough')));
    const client = createClient({ baseUrl, apiKey: 'k' });
    await assert.rejects(client.verify('a@example.com', { signal: abort.signal, idempotencyKey: 'k' }), {
      message: 'enough',
    });
    const hasty = createClient({ baseUrl, apiKey: 'k', limits: { attemptMs: 50 } });
    await assert.rejects(hasty.verify('a@example.com'), failsWith('no_answer_in_time'));
  });
});

describe('tasks', () => {
  test('runTask creates, tells of it, polls and comes back with the results', async () => {
    const standIn = await startStandIn({ looksPerTask: 3 });
    endings.push(() => standIn.stop());
    const client = createClient({ baseUrl: standIn.url, apiKey: standIn.apiKey, limits: { pollFirstMs: 1 } });
    const seen: number[] = [];
    let created = '';
    const task = await client.runTask(['a@example.com', 'A@example.com', 'b@example.com'], {
      name: 'mine',
      onCreated: ({ task_id: id }) => void (created = id),
      onProgress: ({ count_checked: checked }) => void seen.push(checked),
    });
    assert.deepEqual(Object.keys(task.results), ['a@example.com', 'b@example.com']);
    assert.deepEqual([task.task_id, task.name, task.creditsUsed], [created, 'API: mine', 2]);
    assert.deepEqual(seen, [0, 1, 2]);
    assert.equal((await client.runTask([], { taskId: created })).task_id, created);
    assert.equal(standIn.counts.tasks, 1);
  });

  test('createTask without a key is not repeated when its answer is lost; GET is', async () => {
    const { client, standIn } = await start(['lose_answer', 'none', 'lose_request', 'lose_answer', 'refuse']);
    await assert.rejects(client.createTask(['a@example.com']), failsWith('network_error'));
    const { task_id: id } = await client.createTask(['a@example.com'], { idempotencyKey: 'k' });
    assert.equal((await client.getTask(id)).status, 'completed');
    assert.equal(standIn.counts.requests, 6);
  });

  test('another body under the same key, and a task that is not there, are told', async () => {
    const { client } = await start();
    await client.createTask(['a@example.com'], { idempotencyKey: 'k' });
    const other = client.createTask(['b@example.com'], { idempotencyKey: 'k' });
    await assert.rejects(other, failsWith('idempotency_mismatch', 422));
    await assert.rejects(client.getTask('../no/such?task'), failsWith('task_not_found', 404));
  });
});

describe('a stranger in the place of the service', () => {
  test('is told apart, whether it says yes or no', async () => {
    for (const [status, body] of [
      [200, '<html>'],
      [200, '{"status":"ok"}'],
      [404, '{"reason":"toString"}'],
      [418, 'null'],
    ] as const) {
      const client = createClient({ baseUrl: await startFixed(status, body), apiKey: 'k' });
      await assert.rejects(client.verify('a@example.com'), failsWith('unexpected_answer', status));
    }
  });

  test('does not get the key or an address by a redirect', async () => {
    const { client, standIn } = await start();
    const server = createServer((_request, response) => {
      response.writeHead(307, { location: `${standIn.url}/api/v1/email-verification` }).end();
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    endings.push(async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    });
    const baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    await assert.rejects(
      createClient({ baseUrl, apiKey: 'k' }).verify('a@example.com'),
      failsWith('network_error'),
    );
    assert.equal(standIn.counts.requests, 0);
    assert.equal((await client.verify('a@example.com')).status, 'safe');
  });
});

test('bad options are told before anything is sent, without the key', () => {
  const secret = 'mp_live_secret\n';
  for (const options of [
    { baseUrl: 'mail.example', apiKey: 'k' },
    { baseUrl: 'ftp://mail.example', apiKey: 'k' },
    { baseUrl: 'http://mail.example/?q', apiKey: 'k' },
    { baseUrl: 'http://user:password@mail.example', apiKey: 'k' },
    { baseUrl: 'http://mail.example', apiKey: secret },
    { baseUrl: 'http://mail.example', apiKey: '' },
  ])
    assert.throws(
      () => createClient(options),
      (error: Error) => {
        assert.ok(error instanceof TypeError && !error.message.includes('secret'));
        return true;
      },
    );
});
