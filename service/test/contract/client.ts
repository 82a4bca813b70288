/**
 * The client of the contract tests. It holds every answer against the contract before a test sees it: the OpenAPI
 * document that the service itself serves, the headers, and the shapes of `docs/contract.md`.
 */
import assert from 'node:assert/strict';
import { createApiClient, singlePath, type ApiClient, type Call } from '../support/api-client.ts';
import { assertEveryAnswer } from './every-answer.ts';
import { createDocumentCheck } from './openapi-check.ts';

/** Default: a single verification. */
export type Ask = Partial<Call>;

export type CheckedClient = Omit<ApiClient, 'ask'> & {
  ask(call: Ask, options?: { insist?: boolean }): ReturnType<ApiClient['ask']>;
};

export async function createCheckedClient(url: string): Promise<CheckedClient> {
  const plain = createApiClient(url);
  const { text } = await plain.ask({ method: 'GET', path: '/openapi.json' });
  plain.close();
  const holdsDocument = createDocumentCheck(JSON.parse(text) as unknown);
  const requestIds = new Set<string>();
  const client = createApiClient(url, {
    check: (call, answer) => {
      const { requestId } = answer;
      assert.ok(!requestIds.has(requestId), `X-Request-Id ${requestId} was used before`);
      requestIds.add(requestId);
      assertEveryAnswer(call, answer);
      holdsDocument(call, answer);
    },
  });
  return { ...client, ask: (call, options) => client.ask({ path: singlePath, ...call }, options) };
}
