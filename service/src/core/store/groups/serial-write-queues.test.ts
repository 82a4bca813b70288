import assert from 'node:assert/strict';
import { test } from 'node:test';
import { StoreUnavailableError } from '../store-unavailable-error.ts';
import { createDeadlines } from './deadlines.ts';
import type { WriteAsker } from './pending-writes.ts';
import { createSerialWriteQueues } from './serial-write-queues.ts';

const limits = {
  writeConnections: 1,
  operationsInGroup: 128,
  operationsWaiting: 1_000,
  commitMs: 0,
  requestGroupMs: 100,
  fewInGroup: 16,
  fewInGroupMs: 300,
};

test('a request that ends is not refused with requests that begin, and shares no transaction with them', async () => {
  const ran: WriteAsker[] = [];
  const queues = createSerialWriteQueues({
    deadlines: createDeadlines(),
    limits,
    runGroup: (operations, { asker }) => {
      ran.push(asker);
      if (asker === 'request') return Promise.reject(new StoreUnavailableError('slow'));
      return Promise.resolve(operations.map(() => ({ kind: 'done', value: asker })));
    },
  });
  const until = performance.now() + 60_000;
  const write = (ends: boolean) =>
    queues.write(() => Promise.resolve('done'), { serialKey: 'account', until, ends }).catch(() => 'refused');
  const answers = await Promise.all([write(false), write(true), write(false), write(true)]);
  assert.deepEqual(answers, ['refused', 'ending', 'refused', 'ending']);
  assert.deepEqual(ran, ['request', 'ending']);
  await queues.close();
});
