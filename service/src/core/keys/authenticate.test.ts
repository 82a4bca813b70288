import assert from 'node:assert/strict';
import { test } from 'node:test';
import { makeApiKey, writeApiKey } from './api-key.ts';
import { createAuthenticate } from './authenticate.ts';

test('requests that come together with one key share one look at the store', async () => {
  let looks = 0;
  const { promise, resolve } = Promise.withResolvers<undefined>();
  const first = () => {
    looks += 1;
    return promise;
  };
  const authenticate = createAuthenticate({
    store: { read: { first, all: () => Promise.resolve([]) } },
    clock: { now: () => 0 },
    wallClock: { now: () => 0 },
    noteUse: () => undefined,
  });
  const header = `Bearer ${writeApiKey(makeApiKey('live'))}`;
  const asked = Array.from({ length: 100 }, () => authenticate(header));
  assert.equal(looks, 1);
  resolve(undefined);
  for (const caller of asked) assert.equal(await caller, undefined);
  await authenticate(header);
  assert.equal(looks, 2, 'the next looks again');
});
