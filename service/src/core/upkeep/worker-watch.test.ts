import assert from 'node:assert/strict';
import { setImmediate } from 'node:timers/promises';
import { test } from 'node:test';
import { noWorkerProblem, tellOfWorkers } from './worker-watch.ts';

test('the absence of every worker is told once, its end once, and a database that is silent changes nothing', async () => {
  const told: string[] = [];
  let count: number | undefined = 1;
  let next: () => void = () => undefined;
  const clock = {
    now: () => 0,
    after: (_: number, callback: () => void) => {
      next = callback;
      return () => undefined;
    },
  };
  const news = tellOfWorkers({
    workers: { count: () => Promise.resolve(count) },
    clock,
    onProblem: (message) => void told.push(message),
    onRecovery: (message) => void told.push(message),
  });
  for (count of [1, 0, 0, undefined, 0, 2, 2]) {
    next();
    await setImmediate();
  }
  assert.deepEqual(told, [noWorkerProblem, 'a worker is running again']);
  await news.stop();
});
