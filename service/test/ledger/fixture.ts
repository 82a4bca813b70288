import type { Outcome } from '@mailproof/engine';
import type { ProcessRegistry } from '../../src/core/store/process-registry.ts';
import type { Store } from '../../src/core/store/store.ts';
import type { WallClock } from '../../src/core/store/wall-clock.ts';
import type { Caller } from '../../src/core/keys/authenticate.ts';
import type { Claim } from '../../src/core/verify/tasks/claim-task.ts';
import type { TestStore } from '../support/databases.ts';
import type { TestClock } from '../../../engine/test/support/test-clock.ts';
import { openAccount } from '../support/open-account.ts';
import { day, newModel, type Model, type ModelSingle, type ModelTask } from './model.ts';

/** A service with one account, the model of its books, and what callers and workers hold of both. */
export type Fixture = {
  store: Store;
  testStore: TestStore;
  time: TestClock;
  wallClock: WallClock;
  accountId: string;
  live: Caller;
  test: Caller;
  model: Model;
  /** The process that works now, and those that died. */
  registry: ProcessRegistry;
  dead: Set<string>;
  singles: Single[];
  claims: Held[];
};

/** A single verification under way: the engine has been asked and answers when told. */
export type Single = {
  model: ModelSingle;
  answer: (outcome: Outcome | Error) => void;
  result: Promise<string>;
  ended: boolean;
};

/** A worker's claim, which may be stale. */
export type Held = { claim: Claim; task: ModelTask };

export const taskTimes = { taskDeadlineMs: 1_800_000, taskRetentionMs: 15 * day };

export async function openFixture(testStore: TestStore, time: TestClock, credits: number): Promise<Fixture> {
  const { store } = testStore;
  const { wallClock } = time;
  const { accountId, live, test } = await openAccount({ store, wallClock }, credits);
  const model = newModel(credits);
  const registry = await store.joinRegistry();
  return {
    store,
    testStore,
    time,
    wallClock,
    accountId,
    live,
    test,
    model,
    registry,
    dead: new Set(),
    singles: [],
    claims: [],
  };
}

export function pick<T>(from: T[], which: number): T | undefined {
  return from[which % Math.max(1, from.length)];
}
