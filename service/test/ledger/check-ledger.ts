import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { audit } from '../../src/start/whole-store.ts';
import type { TestDatabase, TestStore } from '../support/databases.ts';
import { createTestClock } from '../../../engine/test/support/test-clock.ts';
import { act, compare } from './act.ts';
import { anyCommand, type Command } from './command.ts';
import { openFixture } from './fixture.ts';

type CheckLedger = {
  database: TestDatabase;
  runs: number;
  seed?: number;
  /** Changes statements on their way to the database: a mutant of the service. */
  rewrite?: (sql: string) => string;
};

export function describeLedger(database: TestDatabase, { runs }: { runs: number }): void {
  void describe(`the ledger and its tasks on ${database.name}`, () => {
    void it(`agree with the model, and the audit is clean, after every command of ${runs} random sequences`, async () => {
      await checkLedger({ database, runs });
    });
  });
}

/**
 * Runs random sequences of commands against the service and the model. After every command both must agree and the audit
 * must be clean. Throws with the shortest sequence found that breaks this.
 */
export async function checkLedger({ database, runs, seed, rewrite }: CheckLedger): Promise<void> {
  let current: TestStore | undefined;
  const time = createTestClock();

  async function run(commands: Command[]): Promise<void> {
    // One store serves many sequences, each with an account of its own; one that failed is not used again.
    const testStore = current ?? (await database.open(rewriting(rewrite)));
    current = undefined;
    try {
      await runSequence(testStore, commands);
      current = testStore;
    } finally {
      if (current === undefined) await testStore.close();
    }
  }

  async function runSequence(testStore: TestStore, commands: Command[]): Promise<void> {
    const startedAt = time.wallClock.now();
    const fixture = await openFixture(testStore, time, 6);
    for (const command of [...commands, ...toTheEnd]) {
      await act(fixture, command);
      await compare(fixture);
      const store = {
        snapshot: <T>(look: (reader: TestStore['store']['read']) => Promise<T>) => look(testStore.store.read),
      };
      assert.deepEqual((await audit({ store }, { since: startedAt })).violations, []);
    }
    assert.equal(fixture.model.reserved, 0, 'at the end nothing is held');
    time.advance(1);
  }

  try {
    const property = fc.asyncProperty(
      fc.array(anyCommand, { minLength: 1, maxLength: 50, size: 'max' }),
      run,
    );
    await fc.assert(property, {
      numRuns: runs,
      ...(seed === undefined ? {} : { seed }),
      endOnFailure: rewrite !== undefined,
    });
  } finally {
    await current?.close();
  }
}

/** Whatever came before: once every deadline is over and swept, no credit is held any more (L1, L3). */
const toTheEnd: Command[] = [
  { kind: 'advance', ms: 1_800_000 },
  { kind: 'sweep' },
  { kind: 'advance', ms: 1 },
];

function rewriting(rewrite: (sql: string) => string = (sql) => sql): Parameters<TestDatabase['open']>[0] {
  return {
    wrap: (connection) => ({
      ...connection,
      execute: (sql, values) => connection.execute(rewrite(sql), values),
    }),
  };
}
