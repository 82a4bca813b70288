import assert from 'node:assert/strict';
import { test } from 'node:test';
import { nextStep } from './next-step.ts';
import type { SendOutcome } from './send-request.ts';

const answer = (status: number, retryAfterMs = 0): SendOutcome => ({
  kind: 'answered',
  status,
  retryAfterMs,
  response: '',
});
const silence: SendOutcome = { kind: 'failed', why: 'timeout' };
const hourMs = 3_600_000;

/** The waits until it is given up, in milliseconds. */
function waitsOf(outcome: SendOutcome, random: number): number[] {
  const waits: number[] = [];
  for (let attempts = 1; attempts <= 50; attempts += 1) {
    const step = nextStep(outcome, { attempts, random });
    if (step.kind !== 'retry') return waits;
    waits.push(step.afterMs);
  }
  throw new Error('never given up');
}

test('any 2xx is success and 410 is the end; nothing else is either', () => {
  for (let status = 200; status < 300; status += 1)
    assert.equal(nextStep(answer(status), { attempts: 1, random: 0 }).kind, 'delivered');
  assert.equal(nextStep(answer(410), { attempts: 1, random: 0 }).kind, 'gone');
  for (const status of [199, 300, 301, 302, 307, 308, 400, 404, 409, 411, 429, 500, 502, 503, 504])
    assert.equal(nextStep(answer(status), { attempts: 1, random: 0 }).kind, 'retry', String(status));
});

test('there are ten attempts over 75 hours, each wait up to a tenth longer or shorter', () => {
  for (const [random, factor] of [
    [0, 0.9],
    [0.5, 1],
    [0.999_999, 1.1],
  ] as const) {
    const waits = waitsOf(silence, random);
    assert.equal(waits.length + 1, 10);
    const hours = waits.reduce((sum, wait) => sum + wait, 0) / hourMs;
    assert.ok(Math.abs(hours - 75.585 * factor) < 0.01, `${hours} hours`);
    assert.ok(waits.every((wait, n) => n === 0 || wait > (waits[n - 1] ?? 0)));
  }
});

test('an endpoint may ask for a longer wait, up to a day, and never for a shorter one', () => {
  const afterMs = (retryAfterMs: number) => {
    const step = nextStep(answer(503, retryAfterMs), { attempts: 1, random: 0.5 });
    return step.kind === 'retry' ? step.afterMs : 0;
  };
  assert.deepEqual([0, 2 * hourMs, 1_000 * hourMs].map(afterMs), [5_000, 2 * hourMs, 24 * hourMs]);
});
