import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { ask, bulk, single } from '../../../test/support/http/ask.ts';
import { createWholeServer } from '../../start/whole-server.ts';
import { createTestParts } from '../../../test/support/http/test-parts.ts';

describe('elsewhere', () => {
  test('404: unknown paths, with a request id of their own', async () => {
    const server = await createWholeServer(createTestParts());
    const ids = new Set<unknown>();
    for (const url of [
      '/api',
      '/api/v1',
      '/api/v2/email-verification',
      `${single}/`,
      `${bulk}/`,
      `${bulk}/a/b`,
      '//',
      '/API/v1/email-verification',
    ]) {
      const response = await server.inject({
        method: 'POST',
        url,
        payload: '{',
        headers: { 'content-type': 'application/json' },
      });
      assert.equal(response.statusCode, 404, url);
      assert.equal(response.body, '{"status":"error","reason":"not_found"}');
      ids.add(response.headers['x-request-id']);
    }
    assert.equal(ids.size, 8);
    await server.close();
  });

  test('404: the path of a task without its id, by the right method too', async () => {
    const server = await createWholeServer(createTestParts());
    const response = await server.inject({ method: 'GET', url: `${bulk}/` });
    assert.deepEqual([response.statusCode, response.body], [404, '{"status":"error","reason":"not_found"}']);
    await server.close();
  });

  test('400: a path that does not decode', async () => {
    const server = await createWholeServer(createTestParts());
    for (const url of ['/%', '/%zz', `${bulk}/%ff%fe`, `${bulk}/%c0%ae`]) {
      const response = await server.inject({ method: 'GET', url });
      assert.equal(response.statusCode, 400, url);
      assert.equal(response.body, '{"status":"error","reason":"bad_request"}');
      assert.ok(response.headers['x-request-id']);
    }
    await server.close();
  });

  test('healthz is alive, readyz says what is wrong', async () => {
    assert.deepEqual((await ask({ method: 'GET', url: '/healthz' })).body, { status: 'ok' });
    assert.deepEqual((await ask({ method: 'GET', url: '/readyz' })).body, { status: 'ready' });
    const problems = ['the store does not answer'];
    const unready = await ask(
      { method: 'GET', url: '/readyz' },
      { readiness: () => Promise.resolve({ ready: false, problems }) },
    );
    assert.equal(unready.status, 503);
    assert.deepEqual(unready.body, { status: 'not_ready', problems });
  });

  test('HEAD on healthz and readyz is 200 or 503 without a body', async () => {
    const unready = createTestParts({ readiness: () => Promise.resolve({ ready: false, problems: ['x'] }) });
    for (const { url, parts, status } of [
      { url: '/healthz', parts: unready, status: 200 },
      { url: '/readyz', parts: createTestParts(), status: 200 },
      { url: '/readyz', parts: unready, status: 503 },
    ]) {
      const server = await createWholeServer(parts);
      const response = await server.inject({ method: 'HEAD', url });
      assert.deepEqual([response.statusCode, response.body], [status, ''], url);
      assert.ok(response.headers['x-request-id']);
      const other = await server.inject({ method: 'POST', url });
      assert.deepEqual([other.statusCode, other.headers['allow']], [405, 'GET, HEAD']);
      await server.close();
    }
  });

  test('readyz is 503 as soon as the drain begins', async () => {
    const { overloadGuard } = createTestParts();
    overloadGuard.drain();
    assert.equal((await ask({ method: 'GET', url: '/readyz' }, { overloadGuard })).status, 503);
  });
});
