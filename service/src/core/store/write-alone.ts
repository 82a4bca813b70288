import type { Store } from './store.ts';

/**
 * Runs operations with the same key one after another. Operations share transactions and their statements
 * interleave (see groups/commit-group.ts), so an operation that reads and then decides must not. Each begins once
 * the previous one is committed. Across processes, the key itself keeps them apart.
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
