import type { WholeHttpParts } from '../../../src/start/whole-server.ts';
import { createContractCheck } from './contract-check.ts';
import { createWholeServer } from '../../../src/start/whole-server.ts';
import { createTestParts, taskId } from './test-parts.ts';

export const single = '/api/v1/email-verification';
export const bulk = '/api/v1/bulk-email-verification';
export const task = `${bulk}/${taskId}`;

type Ask = {
  method?: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE' | 'HEAD' | 'OPTIONS';
  url?: string;
  key?: string | undefined;
  headers?: Record<string, string>;
  body?: unknown;
};

/** Sends one request to a fresh server and holds the answer against the OpenAPI document. */
export async function ask(request: Ask, overrides: Partial<WholeHttpParts> = {}) {
  const parts = createTestParts(overrides);
  const server = await createWholeServer(parts);
  const document: unknown = JSON.parse((await server.inject('/openapi.json')).body);
  const { method = 'POST', url = single, key = 'paid', headers = {}, body } = request;
  const payload = typeof body === 'string' ? body : JSON.stringify(body);
  const response = await server.inject({
    method,
    url,
    headers: {
      ...('key' in request && request.key === undefined ? {} : { authorization: `Bearer ${key}` }),
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      ...headers,
    },
    ...(body === undefined ? {} : { payload }),
  });
  if (response.body !== '') createContractCheck(document)(patternOf(url), response);
  await server.close();
  const parsed: unknown = response.body === '' ? undefined : JSON.parse(response.body);
  return { status: response.statusCode, headers: response.headers, body: parsed, calls: parts.calls };
}

function patternOf(url: string): string {
  const [path = ''] = url.split('?', 1);
  return path.startsWith(`${bulk}/`) ? `${bulk}/{taskId}` : path;
}

export const refusal = (reason: string) => ({ status: 'error', reason });
export const anAddress = { email: 'jane@example.com' };
export const aBatch = { emails: ['jane@example.com'] };

/** The usual answer, with another price. */
export function verifiedWith(given: { creditsUsed?: 0 | 1 }): WholeHttpParts['verifyOne'] {
  return (request) =>
    createTestParts()
      .verifyOne(request)
      .then((answer) => ({ ...answer, ...given }));
}
