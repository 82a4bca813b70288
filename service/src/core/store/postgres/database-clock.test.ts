import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { createDatabaseClock } from './database-clock.ts';

describe('the database’s clock', () => {
  it('is believed from the first answer, and not from one that was held up', async () => {
    let monotonic = 0;
    let answer = { now: 1_000_000, takesMs: 10 };
    const clock = createDatabaseClock({
      monotonic: { now: () => monotonic },
      connection: {
        execute: () => {
          monotonic += answer.takesMs;
          return Promise.resolve({ rows: [{ now: answer.now }], changes: 0 });
        },
      },
    });
    await clock.look();
    assert.equal(clock.now(), 1_000_005);
    // The database's time at the beginning of five seconds: half of them would be lost.
    answer = { now: 1_000_006, takesMs: 5_000 };
    await clock.look();
    assert.equal(clock.now(), 1_005_005);
    answer = { now: 1_005_055, takesMs: 20 };
    await clock.look();
    assert.equal(clock.now(), 1_005_065);
  });
});
