import type { Clock } from '@mailproof/engine';
import { sql } from 'kysely';
import { createPlaces, type Places } from '../../core/store/places.ts';
import { statement } from '../../core/store/statement.ts';
import type { Store } from '../../core/store/store.ts';

/** Channel that tells the workers of every process that a list was paused or ended. */
export const listsChannel = 'mailproof_lists';

/**
 * A watch that tells the tasks of this process when their list stops running, whichever process paused or ended it. A
 * notice arrives at once. A poll covers lost notices, and SQLite, which has none between processes.
 */
export type ListWatch = {
  /** Returns a signal that is aborted when the list no longer runs; the caller must call `end`. */
  follow(listId: string): { stopped: AbortSignal; end: () => void };
  close(): void;
};

type WatchParts = {
  store: Pick<Store, 'read' | 'listen'>;
  clock: Clock;
  onProblem: (message: string, error: unknown) => void;
};

const lookEveryMs = 250;

const places = createPlaces(32);

const findRunning = statement((db, arg: Places) =>
  db
    .selectFrom('list')
    .select('id')
    .where('id', 'in', places.of(arg))
    .where('state', '=', sql.lit('running')),
);

/** Created once, since an abort without a reason creates an exception each time. */
const listStopped = new Error('the list is no longer running');

export function watchLists({ store, clock, onProblem }: WatchParts): ListWatch {
  const followers = new Map<string, Set<AbortController>>();
  let state: 'idle' | 'looking' | 'look_again' = 'idle';
  let cancelPoll: (() => void) | undefined;
  const stopListening = store.listen(listsChannel, lookSoon);

  async function look(): Promise<void> {
    const asked = new Map([...followers].map(([id, ofList]) => [id, [...ofList]]));
    const ids = [...asked.keys()];
    const running = new Set<string>();
    for (let from = 0; from < ids.length; from += places.count)
      for (const { id } of await store.read.all(
        findRunning,
        places.for(ids.slice(from, from + places.count)),
      ))
        running.add(id);
    for (const [id, ofList] of asked)
      if (!running.has(id)) for (const follower of ofList) follower.abort(listStopped);
  }

  function lookSoon(): void {
    if (followers.size === 0) return;
    if (state !== 'idle') {
      state = 'look_again';
      return;
    }
    state = 'looking';
    void look()
      .catch((error: unknown) =>
        onProblem('cannot read whether lists were paused; their tasks run on until the next poll', error),
      )
      .finally(() => {
        const again = state === 'look_again';
        state = 'idle';
        if (again) lookSoon();
      });
  }

  function poll(): void {
    cancelPoll = undefined;
    lookSoon();
    if (followers.size > 0) cancelPoll = clock.after(lookEveryMs, poll);
  }

  return {
    follow(listId) {
      const follower = new AbortController();
      const ofList = followers.get(listId) ?? new Set();
      followers.set(listId, ofList.add(follower));
      cancelPoll ??= clock.after(lookEveryMs, poll);
      return {
        stopped: follower.signal,
        end: () => {
          ofList.delete(follower);
          if (ofList.size === 0 && followers.get(listId) === ofList) followers.delete(listId);
        },
      };
    },
    close: () => {
      stopListening();
      cancelPoll?.();
    },
  };
}
