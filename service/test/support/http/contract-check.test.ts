import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createWholeServer } from '../../../src/start/whole-server.ts';
import { createContractCheck } from './contract-check.ts';
import { createTestParts } from './test-parts.ts';

test('the check finds a wrong status, body, header or error', async () => {
  const server = await createWholeServer(createTestParts());
  const check = createContractCheck(JSON.parse((await server.inject('/openapi.json')).body));
  await server.close();
  const path = '/api/v1/email-verification';
  const headers = { 'x-request-id': '1', 'x-credits-used': '0' };
  const good = { email: 'jane@example.com', status: 'unknown', verification_mode: 'power' };
  const answer = (statusCode: number, body: unknown) => ({ statusCode, headers, body: JSON.stringify(body) });
  check(path, answer(200, good));
  check(path, answer(401, { status: 'error', reason: 'invalid_api_key' }));
  const wrong = [
    answer(418, good),
    answer(200, { ...good, status: 'fine' }),
    answer(200, { ...good, overall_score: '98' }),
    answer(200, { ...good, extra: 1 }),
    answer(200, { email: 'jane@example.com', status: 'unknown' }),
    answer(401, { status: 'error', reason: 'invalid_email' }),
    answer(401, { status: 'error', reason: 'invalid_api_key', message: 'x' }),
    answer(401, { reason: 'invalid_api_key', status: 'error' }),
    { ...answer(200, good), headers: { 'x-request-id': '1' } },
    {
      ...answer(401, { status: 'error', reason: 'invalid_api_key' }),
      headers: { ...headers, 'x-credits-used': '1' },
    },
  ];
  for (const given of wrong) assert.throws(() => check(path, given), JSON.stringify(given));
});
