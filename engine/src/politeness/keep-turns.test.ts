import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createVirtualClock, type VirtualClock } from '../../test/support/virtual-clock.ts';
import { createTurns } from './keep-turns.ts';
import { createTurnBookInMemory } from '../../test/support/turn-book-in-memory.ts';
import { turnKeptMs, type TurnBook } from './turn-book.ts';

const key = 'group one.example';

/** A process whose way to the book can be cut, and which tells what it was handed. */
function startProcess(clock: VirtualClock, name: string, shared: TurnBook) {
  const line = { isCut: false, isTalking: false };
  const loaded: unknown[] = [];
  const problems: string[] = [];
  const came: string[] = [];
  const turns = createTurns({
    clock,
    book: {
      ...shared,
      exchange: (exchange) => (line.isCut ? Promise.reject(new Error('cut off')) : shared.exchange(exchange)),
    },
    onTurn: (turn) => void came.push(turn),
    onProblem: (message) => problems.push(message),
    ledger: {
      isOpen: () => line.isTalking,
      save: () => `left by ${name}`,
      load: ({ state }) => void loaded.push(state),
      recent: () => (line.isTalking ? [key] : []),
    },
  });
  return { turns, line, loaded, problems, came };
}

async function pass(clock: VirtualClock, ms: number): Promise<void> {
  const until = clock.now() + ms;
  clock.after(ms, () => undefined);
  while (clock.now() < until) {
    clock.step();
    await new Promise((resolve) => setImmediate(resolve));
  }
}

for (const lendsEverything of [false, true]) {
  const how = lendsEverything ? ', everything lent' : '';

  test(`a turn goes from hand to hand, with what was left${how}`, async () => {
    const clock = createVirtualClock();
    const open = createTurnBookInMemory(clock, lendsEverything);
    const one = startProcess(clock, 'one', open('one'));
    const other = startProcess(clock, 'other', open('other'));
    assert.equal(one.turns.lacking([key]), key);
    await pass(clock, 10);
    assert.equal(one.turns.lacking([key]), undefined);
    one.line.isTalking = true;
    assert.equal(other.turns.lacking([key]), key);
    await pass(clock, 5_000);
    assert.equal(other.turns.lacking([key]), key, 'the first still talks');
    one.line.isTalking = false;
    await pass(clock, 2_000);
    assert.deepEqual([other.came, other.loaded], [[key], ['left by one']]);
  });

  test(`who was cut off begins nothing, and learns what the others did meanwhile${how}`, async () => {
    const clock = createVirtualClock();
    const open = createTurnBookInMemory(clock, lendsEverything);
    const one = startProcess(clock, 'one', open('one'));
    const other = startProcess(clock, 'other', open('other'));
    one.turns.lacking([key]);
    await pass(clock, 10);
    assert.equal(one.turns.lacking([key]), undefined);
    one.line.isCut = true;
    one.line.isTalking = true;
    await pass(clock, 4_000);
    assert.equal(one.turns.lacking([key]), key, 'lapsed');
    other.turns.lacking([key]);
    await pass(clock, turnKeptMs - 10_000);
    assert.deepEqual(other.came, [], 'not before it is free');
    await pass(clock, 12_000);
    assert.deepEqual(other.came, [key]);
    one.line.isTalking = false;
    one.line.isCut = false;
    one.turns.lacking([key]);
    await pass(clock, 1_000);
    assert.deepEqual([one.came, one.loaded.at(-1)], [[key, key], 'left by other']);
    assert.equal(one.problems.length, 1, 'told once');
  });
}
