import type { Clock } from '@mailproof/engine';
import { dayMs } from '../ledger/daily-cap.ts';
import { statement } from '../store/statement.ts';
import type { Store } from '../store/store.ts';
import type { WallClock } from '../store/wall-clock.ts';
import { repeat } from '../process/repeat.ts';

/**
 * Writes down on which day each key was used last. Only the first use of a day changes anything, and it is written apart
 * from the request, so that no request costs a statement more.
 */
export type KeyUses = {
  noteUse: (keyId: string, lastUsedDay: number | null) => void;
  stop: () => Promise<void>;
};

type KeyUsesParts = {
  store: Pick<Store, 'write'>;
  clock: Clock;
  wallClock: WallClock;
  onProblem(message: string, error: unknown): void;
};

const writeEveryMs = 2_000;

const writeDay = statement((db, arg: { key: string; day: number }) =>
  db
    .updateTable('api_key')
    .set({ last_used_day: arg.day })
    .where('id', '=', arg.key)
    .where('deleted_at', 'is', null)
    .where((eb) => eb.or([eb('last_used_day', 'is', null), eb('last_used_day', '<', arg.day)])),
);

export function startKeyUses({ store, wallClock, ...parts }: KeyUsesParts): KeyUses {
  /** Keys whose use today is not written yet: at most as many as were used in this moment. */
  const noted = new Map<string, number>();

  async function write(): Promise<void> {
    for (const [key, day] of noted) {
      await store.write((tx) => tx.change(writeDay, { key, day }));
      if (noted.get(key) === day) noted.delete(key);
    }
  }

  const writing = repeat(write, { ...parts, everyMs: writeEveryMs });
  return {
    noteUse(keyId, lastUsedDay) {
      const today = Math.floor(wallClock.now() / dayMs);
      if (lastUsedDay === null || lastUsedDay < today) noted.set(keyId, today);
    },
    async stop() {
      await writing.stop();
      // A failing store must not hold up the shutdown.
      await write().catch((error: unknown) =>
        parts.onProblem('the last uses of keys could not be written', error),
      );
    },
  };
}
