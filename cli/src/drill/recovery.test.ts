import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Attempt } from './callers.ts';
import { missedGoals } from './goals.ts';
import { secondsOf, servedAgainMs } from './recovery.ts';
import type { FaultReport } from './run-fault.ts';

/** Ten requests a second from 0 on; each second is a word of what came of them. */
function timeline(...seconds: ('prompt' | 'late' | '503' | 'silence' | 'one_fails')[]): Attempt[] {
  return seconds.flatMap((what, second) =>
    Array.from({ length: 10 }, (_, n): Attempt => {
      const begunAt = second * 1_000 + n * 100;
      if (what === 'silence') return { begunAt };
      if (what === '503' || (what === 'one_fails' && n === 5))
        return { begunAt, answeredAt: begunAt + 5, status: 503 };
      return { begunAt, answeredAt: begunAt + (what === 'late' ? 3_000 : 40), status: 200 };
    }),
  );
}

const again = (attempts: Attempt[], from = 0) =>
  servedAgainMs({ attempts, from, until: (attempts.at(-1)?.begunAt ?? 0) + 100 });

describe('when singles were served again', () => {
  test('at once, if nothing was missed', () => {
    assert.equal(again(timeline('prompt', 'prompt', 'prompt')), 0);
  });
  test('after the last two seconds with more than a tenth of failures', () => {
    const attempts = timeline('503', '503', '503', 'prompt', 'prompt', 'prompt', 'prompt');
    assert.equal(again(attempts), 3_000);
  });
  test('one failure in ten is still served', () => {
    assert.equal(again(timeline('one_fails', 'one_fails', 'one_fails')), 0);
  });
  test('a relapse counts to its end', () => {
    const attempts = timeline('503', 'prompt', 'prompt', 'prompt', '503', 'prompt', 'prompt', 'prompt');
    assert.equal(again(attempts), 5_000);
  });
  test('a request that waits for seconds, or for ever, is not served', () => {
    assert.equal(again(timeline('late', 'late', 'silence', 'prompt', 'prompt', 'prompt')), 3_000);
  });
  test('is unknown while the latest requests fail, and if there are none', () => {
    assert.equal(again(timeline('prompt', 'prompt', '503', '503')), undefined);
    assert.equal(servedAgainMs({ attempts: [], from: 0, until: 9_000 }), undefined);
  });
  test('counts from the moment given', () => {
    assert.equal(again(timeline('503', '503', '503', '503', 'prompt', 'prompt', 'prompt'), 3_000), 1_000);
  });
  test('every second says what became of its requests', () => {
    assert.deepEqual(secondsOf({ attempts: timeline('one_fails', 'late', 'silence'), from: 0 }), [
      { second: 0, asked: 10, prompt: 9, late: 0, failed: { 503: 1 } },
      { second: 1, asked: 10, prompt: 0, late: 10, failed: {} },
      { second: 2, asked: 10, prompt: 0, late: 0, failed: { 'no answer': 10 } },
    ]);
  });
});

describe('the goals of a fault', () => {
  const mistake = { email: 'a@drill.test', truth: 'safe', told: 'unknown' } as const;
  const good: FaultReport = {
    fault: 'api-killed',
    title: 'the API is killed',
    seconds: 1,
    signs: { readyz: { afterMs: 100, said: 'no answer' } },
    servedBefore: true,
    servedAgainMs: 10_000,
    bySecond: [],
    told: {
      singles: 10,
      answered: 10,
      refused: 0,
      unanswered: 0,
      tasks: 1,
      completedTasks: 1,
      wrong: [],
      falseUnknown: [],
      creditsUsed: 10,
    },
    books: { exact: true, violations: [], told: 10, spent: 10, reserved: 0 },
  };
  const cases: [string, Partial<FaultReport>, string[]][] = [
    ['are met', {}, []],
    [
      'say if the machine is too busy',
      { servedBefore: false },
      ['singles were not served even before it: the machine is too busy'],
    ],
    ['miss a place that did not tell', { signs: { readyz: null, log: null } }, ['not told by /readyz, log']],
    ['miss answers that came late', { servedAgainMs: 10_250 }, ['singles were served again after 10.3 s']],
    ['miss answers that never came', { servedAgainMs: null }, ['singles were not served again']],
    ['miss a wrong answer', { told: { ...good.told, wrong: [mistake] } }, ['1 wrong answers']],
    ['miss a false unknown', { told: { ...good.told, falseUnknown: [mistake] } }, ['1 false unknown']],
    ['miss a lost caller', { told: { ...good.told, unanswered: 2 } }, ['2 callers without an answer']],
    ['miss a lost task', { told: { ...good.told, completedTasks: 0 } }, ['1 tasks were not completed']],
    ['miss inexact books', { books: { ...good.books, exact: false } }, ['the books are not exact']],
  ];
  for (const [name, change, missed] of cases)
    test(name, () => assert.deepEqual(missedGoals({ ...good, ...change }), missed));
});
