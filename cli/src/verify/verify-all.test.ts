import assert from 'node:assert/strict';
import { getEventListeners } from 'node:events';
import { PassThrough } from 'node:stream';
import { test } from 'node:test';
import type { Engine } from '@mailproof/engine';
import { createTerminal } from '../terminal.ts';
import { verifyAll } from './verify-all.ts';

test('Ctrl-C breaks off every address of a list, and they do not all listen to one signal', async () => {
  const interrupt = new AbortController();
  const count = 1_000;
  let begun = 0;
  let brokenOff = 0;
  let listeners = 0;
  const engine: Pick<Engine, 'verify' | 'close'> = {
    close: () => undefined,
    verify: (_email, { signal }) =>
      new Promise((_resolve, reject) => {
        signal.addEventListener('abort', () => {
          brokenOff += 1;
          reject(new Error('broken off'));
        });
        begun += 1;
        if (begun < count) return;
        listeners = getEventListeners(interrupt.signal, 'abort').length;
        interrupt.abort(new Error('interrupted'));
      }),
  };
  const streams = { input: new PassThrough(), output: new PassThrough(), side: new PassThrough() };
  const verifying = verifyAll({
    addresses: addressesAtDomains(count),
    count,
    isList: true,
    present: () => '',
    // The rest of it is not asked.
    engine: engine as Engine,
    timeoutMs: 60_000,
    surroundings: { terminal: createTerminal(streams), env: {}, signal: interrupt.signal },
  });
  await assert.rejects(verifying, /interrupted/);
  assert.deepEqual({ begun, brokenOff, listeners }, { begun: count, brokenOff: count, listeners: 0 });
});

async function* addressesAtDomains(count: number): AsyncGenerator<string> {
  for (let domain = 0; domain < count; domain += 1) yield await Promise.resolve(`ada@d${domain}.example`);
}
