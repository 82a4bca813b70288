import type { Connection } from '../connection.ts';

/**
 * Reads of one turn of the event loop share a transaction, from the second on: to open and close one costs half of a
 * small read. So whoever reads sees all that this process has committed, and of what others commit at least what
 * was there when the turn began.
 */
export type SharedTurns = Pick<Connection, 'execute'> & {
  /** Ends what is shared, so that the next read sees what has been committed since. */
  refresh(): void;
};

export function shareTurns(reader: Connection): SharedTurns {
  let readsInTurn = 0;

  function refresh(): void {
    readsInTurn = 0;
    // If it cannot be ended the next read fails, and says so to whoever reads.
    if (reader.inTransaction()) reader.execute('commit', []).catch(() => undefined);
  }

  return {
    execute: (sql, values) => {
      readsInTurn += 1;
      if (readsInTurn === 1) setImmediate(refresh);
      // If it cannot be opened, the read has one of its own.
      if (readsInTurn === 2) reader.execute('begin', []).catch(() => undefined);
      return reader.execute(sql, values);
    },
    refresh,
  };
}
