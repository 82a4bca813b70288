import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createConversationLimiter } from './create-conversation-limiter.ts';

/** A clock whose timers ring as late as the test says. */
function setUp(openConversations: number) {
  const time = { now: 0 };
  const timers: { at: number; callback: () => void }[] = [];
  const clock = {
    now: () => time.now,
    after(ms: number, callback: () => void) {
      timers.push({ at: time.now + ms, callback });
      return () => undefined;
    },
  };
  const ring = (lateMs: number): void => {
    const timer = timers.shift();
    if (timer === undefined) return;
    time.now = timer.at + lateMs;
    timer.callback();
  };
  return { gate: createConversationLimiter({ clock, openConversations }), ring };
}

/** Returns how many begin before the gate says no. */
function begin(gate: ReturnType<typeof createConversationLimiter>): number {
  let begun = 0;
  while (gate.mayOpen(() => undefined)) {
    gate.opened();
    begun += 1;
  }
  return begun;
}

test('never more conversations are open than the process may hold', () => {
  const { gate, ring } = setUp(50);
  let open = 0;
  for (let stretch = 0; stretch < 20; stretch += 1) {
    open += begin(gate);
    ring(0);
  }
  assert.equal(open, 50);
  gate.closed();
  assert.equal(
    gate.mayOpen(() => undefined),
    true,
  );
});

test('a caller that was held back is called when there is room again', () => {
  const { gate } = setUp(1);
  const called: string[] = [];
  assert.equal(
    gate.mayOpen(() => undefined),
    true,
  );
  gate.opened();
  assert.equal(
    gate.mayOpen(() => called.push('next')),
    false,
  );
  gate.closed();
  assert.deepEqual(called, ['next']);
});

test('more may begin while the event loop keeps up, and half as many once it falls behind', () => {
  const { gate, ring } = setUp(Infinity);
  const counts = [begin(gate)];
  for (let stretch = 0; stretch < 20; stretch += 1) {
    ring(0);
    counts.push(begin(gate));
  }
  const [first = 0] = counts;
  const most = counts.at(-1) ?? 0;
  assert.ok(most >= 4 * first, counts.join(', '));
  assert.deepEqual(
    counts,
    counts.toSorted((a, b) => a - b),
    'it never shrinks meanwhile',
  );
  ring(500);
  assert.equal(begin(gate), most / 2);
});

test('callers that were held back begin in turn, one at a time', () => {
  const { gate, ring } = setUp(Infinity);
  begin(gate);
  const order: string[] = [];
  const beginAll = (name: string, left: number): void => {
    for (let more = left; more > 0; more -= 1) {
      if (!gate.mayOpen(() => beginAll(name, more))) return;
      gate.opened();
      order.push(name);
    }
  };
  beginAll('many', 5);
  beginAll('one', 1);
  beginAll('two', 2);
  ring(0);
  assert.deepEqual(order, ['many', 'one', 'two', 'many', 'two', 'many', 'many', 'many']);
});
