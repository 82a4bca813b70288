import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createFaultLog } from './fault-log.ts';
import { createLogger } from './create-logger.ts';

function openLog() {
  const lines: string[] = [];
  const timers: (() => void)[] = [];
  const logger = createLogger('info', { write: (line) => void lines.push(line) });
  const clock = {
    after: (_: number, callback: () => void) => {
      timers.push(callback);
      return () => undefined;
    },
  };
  const told = () => lines.splice(0).map((line) => JSON.parse(line) as Record<string, unknown>);
  const endMinute = () => timers.splice(0).forEach((end) => end());
  return { log: createFaultLog({ logger, clock }), told, endMinute };
}

const full = { fault: 'store_full', sentence: 'The database does not serve, because the disk is full' };
const messages = (lines: Record<string, unknown>[]) => lines.map(({ msg }) => msg);

test('a fault is logged when it begins, then once a minute with a count, in a sentence', () => {
  const { log, told, endMinute } = openLog();
  log.note(full, { kind: 'request' });
  assert.deepEqual(messages(told()), [`${full.sentence}: 1 request got 503`]);
  for (let at = 0; at < 1_694; at += 1) log.note(full, { kind: 'request' });
  log.note(full, { kind: 'job', name: 'upkeep failed and will be tried again' });
  assert.deepEqual(told(), []);
  endMinute();
  const [line] = told();
  assert.equal(line?.['msg'], `${full.sentence}: 1,694 requests got 503 and 1 job failed in the last minute`);
  assert.deepEqual(
    ['fault', 'requests', 'jobs', 'last_job', 'err'].map((name) => line[name]),
    ['store_full', 1_694, 1, 'upkeep failed and will be tried again', undefined],
  );
});

test('after a minute without a failure the next one is logged at once', () => {
  const { log, told, endMinute } = openLog();
  log.note(full, { kind: 'request' });
  endMinute();
  endMinute();
  told();
  log.note(full, { kind: 'request' });
  assert.equal(told().length, 1);
});

test('another fault has lines of its own, and the end leaves no count untold', () => {
  const { log, told } = openLog();
  log.note(full, { kind: 'request' });
  log.note(
    { fault: 'overload', sentence: 'The service has more requests than it can serve' },
    { kind: 'request' },
  );
  log.note(full, { kind: 'request' });
  assert.equal(told().length, 2);
  log.stop();
  assert.deepEqual(messages(told()), [`${full.sentence}: 1 request got 503 since the last line`]);
});
