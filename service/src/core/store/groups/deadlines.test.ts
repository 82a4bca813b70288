import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { createDeadlines } from './deadlines.ts';

const late = () => new Error('too late');

describe('deadlines', () => {
  it('tell those whose time is over, each once, and nobody else', async () => {
    const { add } = createDeadlines();
    const told: string[] = [];
    const now = performance.now();
    const all = Promise.withResolvers<undefined>();
    add(now + 30, () => told.push('first'));
    add(now + 40, () => told.push('answered'))();
    add(now + 3_600_000, () => told.push('in an hour'));
    add(now + 90, () => all.resolve(undefined));
    await held(all.promise);
    assert.deepEqual(told, ['first']);
  });

  it('the answer comes where it is in time, and is not waited for where it is not', async () => {
    const { race } = createDeadlines();
    const until = performance.now() + 50;
    assert.equal(await race(() => Promise.resolve('here'), { until, late }), 'here');
    const never = new Promise<string>(() => undefined);
    await assert.rejects(held(race(() => never, { until, late })), /too late/);
    let asked = false;
    const work = () => Promise.resolve((asked = true));
    await assert.rejects(race(work, { until, late }), /too late/);
    assert.equal(asked, false, 'what is too late before it begins is not begun');
  });
});

/** A deadline alone keeps no process alive. */
async function held<T>(work: Promise<T>): Promise<T> {
  const ended = new AbortController();
  const awake = sleep(60_000, undefined, { signal: ended.signal }).catch(() => undefined);
  try {
    return await work;
  } finally {
    ended.abort();
    await awake;
  }
}
