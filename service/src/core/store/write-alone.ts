import type { Store } from './store.ts';

/**
 * Operations share transactions and their statements interleave (see groups/commit-group.ts). One that decides by what it
 * has read cannot have that: of those with the same key each begins here once the one before is committed. Those of
 * other processes are kept apart by the key itself.
 */
export function createWriteAlone(write: Store['write']): Store['writeAlone'] {
  const lastOf = new Map<string, Promise<void>>();
  return (operation, serialKey) => {
    const before = lastOf.get(serialKey) ?? Promise.resolve();
    const written = before.then(() => write(operation, serialKey));
    const ended = written.then(
      () => undefined,
      () => undefined,
    );
    lastOf.set(serialKey, ended);
    void ended.then(() => {
      if (lastOf.get(serialKey) === ended) lastOf.delete(serialKey);
    });
    return written;
  };
}
