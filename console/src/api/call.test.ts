import assert from 'node:assert/strict';
import { test } from 'node:test';
import { call, CallFailed } from './call.ts';

const busy = (retryAfter?: string) =>
  Response.json(
    { status: 'error', reason: 'service_unavailable' },
    { status: 503, headers: retryAfter === undefined ? {} : { 'retry-after': retryAfter } },
  );

function serviceOf(answers: Response[]) {
  const waits: number[] = [];
  const asked: string[] = [];
  const parts = {
    baseUrl: 'https://mailproof.example',
    fetch: (url: string, { method }: RequestInit) => {
      asked.push(`${method} ${url}`);
      return Promise.resolve(answers.shift()!);
    },
    wait: (ms: number) => {
      waits.push(ms);
      return Promise.resolve();
    },
  };
  return { waits, asked, parts };
}

const signIn = { method: 'POST', path: '/session', body: { key: 'mp_live_x' } } as const;

test('a busy service is asked again when it said, and nobody has to sign in twice', async () => {
  const service = serviceOf([busy('3'), busy('900'), busy(), Response.json({ kind: 'account' })]);
  assert.deepEqual(await call(signIn, service.parts), { kind: 'account' });
  assert.deepEqual(service.waits, [3_000, 15_000, 2_000]);
  assert.deepEqual(service.asked, Array(4).fill('POST https://mailproof.example/session'));
});

test('a service that stays busy is told of after the sixth attempt', async () => {
  const service = serviceOf(Array.from({ length: 9 }, () => busy('2')));
  await assert.rejects(call(signIn, service.parts), (error) => {
    return error instanceof CallFailed && error.failure.reason === 'service_unavailable';
  });
  assert.equal(service.asked.length, 6);
});

test('a refusal is not asked again', async () => {
  const service = serviceOf([Response.json({ reason: 'invalid_key' }, { status: 401 })]);
  await assert.rejects(call(signIn, service.parts), CallFailed);
  assert.deepEqual([service.asked.length, service.waits], [1, []]);
});
