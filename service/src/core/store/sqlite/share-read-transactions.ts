import type { Connection } from '../connection.ts';

/**
 * Reads that share a transaction from the second of a round of the event loop on. Opening and closing a transaction
 * costs half of a small read. A reader sees all commits of this process, and at least those of others from before
 * the round began.
 */
export type SharedReads = Pick<Connection, 'execute'> & {
  /** Ends the shared transaction, so that the next read sees later commits. */
  refresh(): void;
};

export function shareReadTransactions(reader: Connection): SharedReads {
  let readsInRound = 0;

  function refresh(): void {
    readsInRound = 0;
    // If the commit fails, the next read fails too and reports it to its caller.
    if (reader.inTransaction()) reader.execute('commit', []).catch(() => undefined);
  }

  return {
    execute: (sql, values) => {
      readsInRound += 1;
      if (readsInRound === 1) setImmediate(refresh);
      // If the transaction cannot be opened, the read runs in its own.
      if (readsInRound === 2) reader.execute('begin', []).catch(() => undefined);
      return reader.execute(sql, values);
    },
    refresh,
  };
}
