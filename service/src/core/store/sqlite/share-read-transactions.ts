import type { Connection } from '../connection.ts';

/**
 * Reads of one round of the event loop share a transaction, from the second on: to open and close one costs half of a
 * small read. So whoever reads sees all that this process has committed, and of what others commit at least what
 * was there when the round began.
 */
export type SharedReads = Pick<Connection, 'execute'> & {
  /** Ends what is shared, so that the next read sees what has been committed since. */
  refresh(): void;
};

export function shareReadTransactions(reader: Connection): SharedReads {
  let readsInRound = 0;

  function refresh(): void {
    readsInRound = 0;
    // If it cannot be ended the next read fails, and says so to whoever reads.
    if (reader.inTransaction()) reader.execute('commit', []).catch(() => undefined);
  }

  return {
    execute: (sql, values) => {
      readsInRound += 1;
      if (readsInRound === 1) setImmediate(refresh);
      // If it cannot be opened, the read has one of its own.
      if (readsInRound === 2) reader.execute('begin', []).catch(() => undefined);
      return reader.execute(sql, values);
    },
    refresh,
  };
}
