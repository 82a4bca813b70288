import type { Clock } from '@mailproof/engine';
import { sql } from 'kysely';
import { createPlaces, type Places } from '../../core/store/places.ts';
import { statement } from '../../core/store/statement.ts';
import type { Store } from '../../core/store/store.ts';

/** Tells the workers of every process that a list was paused or ended. */
export const listsChannel = 'mailproof_lists';

/**
 * Tells the tasks of this process when their list stops running, whichever process was asked to pause or end it. A notice
 * says so at once; a look now and then makes up for notices that were lost, and for SQLite, which passes none on.
 */
export type ListWatch = {
  /** The signal is aborted when the list is not running any more; `end` has to be called. */
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

/** Made once, since an abort without a reason makes an exception each time. */
const listStopped = new Error('the list is not running any more');

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
      .catch((error: unknown) => onProblem('whether lists were paused could not be read', error))
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
