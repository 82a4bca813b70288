import assert from 'node:assert/strict';
import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { test } from 'node:test';
import { systemClock } from './clock.ts';

test('what arrived while the process was held up is read before the wait for it is given up', async () => {
  const socket = createSocket('udp4');
  socket.bind(0, '127.0.0.1');
  await once(socket, 'listening');
  const events: string[] = [];
  socket.on('message', () => events.push('read'));
  const given = Promise.withResolvers<undefined>();
  socket.send('x', socket.address().port, '127.0.0.1', () => {
    systemClock.after(1, () => {
      events.push('given up');
      given.resolve(undefined);
    });
    // Nothing else runs until the timer is long due.
    const until = systemClock.now() + 50;
    while (systemClock.now() < until);
  });
  await given.promise;
  socket.close();
  assert.deepEqual(events, ['read', 'given up']);
});

test('a wait that is called off is not told, even where its time is over already', async () => {
  let told = 0;
  const cancel = systemClock.after(0, () => (told += 1));
  // Due right after the first, in the same round of timers.
  await new Promise<void>((resolve) => {
    setTimeout(() => {
      cancel();
      setImmediate(() => setImmediate(resolve));
    }, 1);
  });
  assert.equal(told, 0);
});
