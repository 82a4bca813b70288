import assert from 'node:assert/strict';
import { test } from 'node:test';
import { StoreUnavailableError } from '../store/store-unavailable-error.ts';
import { createOverloadGuard } from './pipeline/overload-guard.ts';
import type { WholeHttpParts } from '../../start/whole-server.ts';
import { createWholeServer } from '../../start/whole-server.ts';
import { createTestParts, taskId } from '../../../test/support/http/test-parts.ts';

const canary = 'canary.local.part';
const email = `${canary}@example.com`;

test('one line a request, with what an operator needs', async () => {
  const parts = createTestParts();
  const server = await createWholeServer(parts);
  await server.inject({
    method: 'POST',
    url: '/api/v1/email-verification',
    headers: { authorization: 'Bearer paid', 'content-type': 'application/json' },
    payload: { email },
  });
  await server.close();
  assert.equal(parts.logLines.length, 1);
  const line: unknown = JSON.parse(parts.logLines[0]!);
  assert.ok(typeof line === 'object' && line !== null && 'ms' in line && 'time' in line);
  const { ms, time, ...rest } = line;
  assert.ok(typeof ms === 'number' && typeof time === 'number');
  assert.deepEqual(rest, {
    level: 30,
    request_id: 'request-1',
    client: '127.0.0.1',
    method: 'POST',
    route: '/api/v1/email-verification',
    status: 200,
    account: 'account-paid',
    key: 'key-paid',
    mode: 'live',
    address: parts.hashAddress(email),
    domain: 'example.com',
    credits: 0,
    msg: 'request',
  });
  assert.match(parts.hashAddress(email), /^[0-9a-f]{12}$/);
  assert.equal(parts.hashAddress(email), parts.hashAddress(email.toUpperCase()));
});

test('the line holds what the caller names its request by, and where it came from through a trusted proxy', async () => {
  const parts = createTestParts();
  const server = await createWholeServer(parts);
  const traceId = '4bf92f3577b34da6a3ce929d0e0e4736';
  const headers = {
    'x-request-id': 'order-17',
    traceparent: `00-${traceId}-00f067aa0ba902b7-01`,
    'x-forwarded-for': '192.0.2.9',
  };
  const { headers: answered } = await server.inject({ url: '/healthz', headers });
  await server.inject({ url: '/healthz', headers: { 'x-request-id': email, traceparent: email } });
  await server.close();
  assert.equal(answered['x-request-id'], 'request-1', 'our own stays unique');
  const [named = '', unnamed = ''] = parts.logLines;
  assert.match(
    named,
    new RegExp(`"request_id":"request-1","caller_request_id":"order-17","trace_id":"${traceId}"`),
  );
  assert.match(named, /"client":"192\.0\.2\.9"/);
  assert.doesNotMatch(unnamed, /caller_request_id|trace_id|canary/);
});

test('the line says why a request was refused, in more words than the client is told', async () => {
  const parts = createTestParts();
  const server = await createWholeServer(parts);
  const post = (headers: Record<string, string>, payload: string) =>
    server.inject({ method: 'POST', url: '/api/v1/email-verification', headers, payload });
  await post({ 'content-type': 'application/json' }, '{}');
  await post({ authorization: 'Bearer nobody' }, '{}');
  await post({ authorization: 'Bearer paid', 'content-type': 'text/plain' }, '{}');
  await post({ authorization: 'Bearer paid', 'content-type': 'application/json' }, '{"a":1,"a":1}');
  await server.close();
  const faults = parts.logLines.map((line) => /"fault":"(\w+)"/.exec(line)?.[1]);
  assert.deepEqual(faults, ['no_key', 'key_not_known', 'content_type', 'duplicate_name']);
});

test('no address, key or body in any line, on any path, errors included', async () => {
  const failing = (error: unknown): Partial<WholeHttpParts> => {
    const fail = () => {
      throw error;
    };
    return { verifyOne: fail, createTask: fail, readTask: fail };
  };
  const draining = createOverloadGuard();
  draining.drain();
  const circumstances: Partial<WholeHttpParts>[] = [
    {},
    {
      verifyOne: () => Promise.resolve({ kind: 'timeout' }),
      createTask: () => Promise.resolve({ kind: 'account_frozen' }),
    },
    failing(new Error(`no such row: ${email}`)),
    failing(new StoreUnavailableError('full', new Error(email))),
    failing(Object.assign(new Error(email), { name: 'SqliteError', code: 'ERR_X' })),
    failing(email),
    failing(undefined),
    { authenticate: () => Promise.reject(new Error(`Bearer ${canary}`)) },
    { overloadGuard: draining },
  ];
  const lines: string[] = [];
  for (const overrides of circumstances) {
    const parts = createTestParts(overrides);
    const server = await createWholeServer(parts);
    for (const request of requests()) {
      const { statusCode, body } = await server.inject(request);
      if (statusCode >= 400) assert.ok(!/at \/|node:|SELECT|\.ts/.test(body) && body.length < 70, body);
    }
    await server.close();
    lines.push(...parts.logLines);
  }
  assert.ok(lines.length >= circumstances.length * requests().length);
  for (const line of lines) {
    assert.ok(!line.includes(canary), line);
    assert.ok(!line.includes('Bearer'), line);
    assert.match(line, /^[^\n]*\n$/);
    assert.ok(typeof JSON.parse(line) === 'object', 'one object in one line');
  }
});

function requests() {
  const headers = { authorization: 'Bearer paid', 'content-type': 'application/json' };
  const post = (url: string, payload: unknown, more: Record<string, string> = {}) =>
    ({
      method: 'POST',
      url,
      headers: { ...headers, ...more },
      payload: typeof payload === 'string' ? payload : JSON.stringify(payload),
    }) as const;
  const single = '/api/v1/email-verification';
  const bulk = '/api/v1/bulk-email-verification';
  return [
    post(single, { email }),
    post(`${single}?explain=true&email=${email}`, { email }),
    post(single, { email: `${canary}@` }),
    post(single, `{"email":"${email}"`),
    post(single, { email }, { 'content-type': `text/${canary}` }),
    post(single, { email }, { 'idempotency-key': `${email} ` + 'é' }),
    post(single, { email }, { authorization: `Bearer ${canary}` }),
    post(bulk, { emails: [email, `${canary} no address`], name: canary }),
    post(bulk, { emails: [email, 1] }),
    post(`/${email}`, { email }),
    post(`/%zz${email}`, { email }),
    { method: 'GET', url: `${bulk}/${email}`, headers },
    { method: 'GET', url: `${bulk}/${taskId}?email=${email}`, headers },
    { method: 'PUT', url: `${single}?email=${email}`, headers },
  ] as const;
}
