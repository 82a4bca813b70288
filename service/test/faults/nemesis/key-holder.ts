import { setTimeout as sleep } from 'node:timers/promises';
import { askKeyed } from '../endurance/requests.ts';
import { type Answer, singlePath } from '../../support/api-client.ts';
import type { LoadParts } from '../endurance/load.ts';
import type { KeyedRequest } from '../endurance/expectations.ts';

/**
 * A client that creates, uses and deletes keys, one after another, all through the API. An acknowledged key works
 * at every API; a second after its acknowledged deletion it works at none.
 */
type KeyHolder = { deleted: () => number; end: () => Promise<void> };

const keysPath = '/api/v1/account/keys';
const diesWithinMs = 1_000;

export function startKeyHolder(parts: LoadParts): KeyHolder {
  const over = new AbortController();
  let deleted = 0;
  const running = (async () => {
    while (!over.signal.aborted) if (await liveAndDie(parts)) deleted += 1;
  })();
  return {
    deleted: () => deleted,
    end: async () => {
      over.abort();
      await running;
    },
  };
}

const statusOf = (answer: Answer) => (answer.kind === 'lost' ? 0 : answer.status);

/** Returns whether a key was seen dead. */
async function liveAndDie(parts: LoadParts): Promise<boolean> {
  const { expected, client, newNumber } = parts;
  const { liveKey } = expected.careful;
  const made = await client.send({ path: keysPath, key: liveKey, body: { name: `key ${newNumber()}` } });
  if (made.kind === 'lost' || made.status === 503) return false;
  if (made.status !== 201) {
    expected.violations.push(`a new key: ${made.status} ${made.text}`);
    return false;
  }
  const { key_id: keyId, api_key: apiKey } = made.body;
  await use(parts, String(apiKey));
  if (!(await deleteKey(parts, String(keyId)))) return false;
  await sleep(diesWithinMs);
  const shown = await client.send({
    path: singlePath,
    key: String(apiKey),
    body: { email: 'late@nullmx.test' },
  });
  if (![0, 401, 503].includes(statusOf(shown)))
    expected.violations.push(`deleted key ${String(keyId)}: ${statusOf(shown)}`);
  return statusOf(shown) === 401;
}

/** Uses a key. The account keeps the answer under its idempotency key, so that another key can ask for it again. */
async function use(parts: LoadParts, apiKey: string): Promise<void> {
  const { expected, newNumber } = parts;
  const number = newNumber();
  const request: KeyedRequest = {
    kind: 'single',
    apiKey,
    idempotencyKey: `key-${number}`,
    body: { email: `k${number}@nullmx.test` },
    accepted: [],
    kept: undefined,
    resolved: false,
    asked: 0,
    charges: 0,
  };
  await askKeyed(parts, request);
  expected.keyed.push({ ...request, apiKey: expected.careful.liveKey });
}

/** Repeats until there is an answer. The second time the key may already be gone. */
async function deleteKey({ expected, client }: LoadParts, keyId: string): Promise<boolean> {
  for (let triesLeft = 100; triesLeft > 0; triesLeft -= 1) {
    const answer = await client.send({
      method: 'DELETE',
      path: `${keysPath}/${keyId}`,
      key: expected.careful.liveKey,
    });
    if ([204, 404].includes(statusOf(answer))) return true;
    if (![0, 503].includes(statusOf(answer))) {
      expected.violations.push(`deleting key ${keyId}: ${statusOf(answer)}`);
      return false;
    }
  }
  return false;
}
