/** Holds every answer of the service to the rules that all share: headers, error bodies, and the shapes of records. */
import assert from 'node:assert/strict';
import type { Answered } from '../support/api-client.ts';
import { isObject } from './openapi-check.ts';
import { assertBulkRecord, assertResult } from './record-shapes.ts';

type Asked = { method: string; path: string };

/** The reasons that a status may carry: C36 to C46, D61, and those of the account's pages. */
const reasons: Record<number, readonly string[]> = {
  400: ['invalid_email', 'invalid_batch', 'invalid_request'],
  401: ['invalid_api_key', 'invalid_key', 'no_session', 'invalid_admin_token'],
  403: ['subscription_required', 'csrf_token_mismatch', 'cross_site_request', 'live_key_required'],
  404: ['not_found', 'task_not_found', 'key_not_found', 'account_not_found', 'request_not_found'],
  405: ['method_not_allowed'],
  409: ['request_in_progress', 'too_many_keys', 'too_many_credits'],
  422: ['idempotency_mismatch'],
  429: ['insufficient_credits', 'too_many_attempts'],
  500: ['verification_failed'],
  502: ['verification_unavailable'],
  503: ['service_unavailable'],
  504: ['verification_timeout'],
};

export function assertEveryAnswer(asked: Asked, answer: Answered): void {
  const { status, headers } = answer;
  const where = `${asked.method} ${asked.path} ${status}`;
  assert.match(
    headers['x-request-id'] === undefined ? '' : String(headers['x-request-id']),
    /^\S{8,}$/,
    where,
  );
  const isApi = asked.path.startsWith('/api/v1/');
  if (isApi) assertCredits(answer, where);
  if (status >= 400 && asked.path !== '/readyz') assertError(asked, answer);
  else if (isApi) assertSuccess(asked, answer);
}

function assertCredits({ status, headers }: Answered, where: string): void {
  const credits = headers['x-credits-used'];
  assert.match(String(credits), /^(?:0|[1-9]\d{0,2})$/, where);
  if (status >= 400) assert.equal(credits, '0', where);
}

/** Asserts the exact bytes of an error, and the header for its status. */
function assertError({ method, path }: Asked, { status, headers, text, body }: Answered): void {
  const where = `${method} ${path} ${status}`;
  if (method !== 'HEAD') {
    assert.equal(text, `{"status":"error","reason":"${String(body['reason'])}"}`, where);
    assert.ok(reasons[status]?.includes(String(body['reason'])), `${where} ${text}`);
  }
  assert.match(String(headers['content-type']), /^application\/json(?:;|$)/, where);
  assert.equal(headers['www-authenticate'], status === 401 ? 'Bearer' : undefined, where);
  assert.equal(headers.allow === undefined, status !== 405, where);
  if (status === 503) assert.match(String(headers['retry-after']), /^[1-9]\d*$/, where);
}

function assertSuccess({ path }: Asked, { status, headers, body }: Answered): void {
  const explained = path.endsWith('?explain=true');
  const credits = Number(headers['x-credits-used']);
  if (path.startsWith('/api/v1/email-verification')) {
    assert.equal(status, 200);
    assertResult(body, explained);
    assert.ok(credits <= 1, 'a single verification costs 0 or 1');
    if (body['status'] === 'unknown') assert.equal(credits, 0, 'what is not conclusive is free');
  } else if (path.startsWith('/api/v1/account')) {
    assert.equal(credits, 0, 'looking and keys are free');
  } else if (path === '/api/v1/bulk-email-verification') {
    assert.equal(status, 201);
    assertCreated(body);
  } else {
    assert.equal(status, 200);
    assertProgress(body, explained);
  }
}

const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;

/** Asserts C24, and the sum of D20. */
function assertCreated(body: Answered['body']): void {
  const { status, task_id, ...counts } = body;
  assert.equal(status, 'success');
  assert.match(String(task_id), uuid);
  assert.deepEqual(Object.keys(counts), [
    'count_submitted',
    'count_duplicates_removed',
    'count_rejected_emails',
    'count_processing',
  ]);
  for (const count of Object.values(counts)) assert.ok(Number.isInteger(count) && Number(count) >= 0);
  const [submitted, ...parts] = Object.values(counts).map(Number);
  assert.equal(
    parts.reduce((sum, part) => sum + part, 0),
    submitted,
  );
}

/** Asserts C28 to C32: `results` if and only if completed, and progress as in D24. */
function assertProgress(body: Answered['body'], explained: boolean): void {
  const { status, count_total, count_checked, progress_percentage, results } = body;
  const fields = ['task_id', 'name', 'status', 'count_total', 'count_checked', 'progress_percentage'];
  assert.deepEqual(Object.keys(body), status === 'completed' ? [...fields, 'results'] : fields);
  assert.match(String(body['task_id']), uuid);
  assert.match(String(body['name']), /^API: /);
  const [total, checked] = [Number(count_total), Number(count_checked)];
  assert.ok(Number.isInteger(total) && Number.isInteger(checked) && checked >= 0 && checked <= total);
  const progress = status === 'completed' ? 100 : Math.round((checked / total) * 10_000) / 100;
  assert.equal(progress_percentage, progress);
  if (status !== 'completed') return;
  assert.equal(checked, total);
  assert.ok(isObject(results));
  assert.equal(Object.keys(results).length, total);
  for (const [email, record] of Object.entries(results)) {
    assert.ok(isObject(record));
    assert.equal(record['email'], email, 'the key is the address of the record');
    assertBulkRecord(record, explained);
  }
}
