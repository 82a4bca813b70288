import assert from 'node:assert/strict';
import { test } from 'node:test';
import { watchEventLoop } from './watch-event-loop.ts';

test('a loop that was held up shows it in the window in which it happened', async () => {
  const { promise, resolve } = Promise.withResolvers<number>();
  const keepAlive = setInterval(() => undefined, 50);
  const stop = watchEventLoop(({ loopDelayMs }) => loopDelayMs >= 250 && resolve(loopDelayMs));
  setTimeout(() => {
    const until = performance.now() + 350;
    while (performance.now() < until);
  }, 60);
  assert.ok((await promise) >= 250);
  stop();
  clearInterval(keepAlive);
});
