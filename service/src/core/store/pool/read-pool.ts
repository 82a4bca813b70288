import type { QueryResult } from '../connection.ts';
import type { SqlValue } from '../statement.ts';
import { StoreUnavailableError } from '../store-unavailable-error.ts';
import type { PooledConnection } from './pooled-connection.ts';

type ReadPoolParts<Pooled> = {
  connect: () => Promise<Pooled>;
  limits: { readConnections: number; readsUnderWay: number; heldUpMs: number };
  /** Is done with each connection once it is open. */
  prepare?: (connection: Pooled) => Promise<unknown>;
};

type ReadPool = {
  /** A read that nobody wants any more before it was sent is not sent. */
  execute: (sql: string, values: SqlValue[], isWanted?: () => boolean) => Promise<QueryResult>;
};

type Read = { sql: string; values: SqlValue[]; isWanted: () => boolean };

/**
 * A few connections that all reads share. Each statement is a transaction of its own, so many can be under way on one
 * connection; it goes to the one with the fewest. A read whose connection was lost is asked once more on another.
 *
 * Answers come in the order of the asking, so behind a statement that takes long (it waits for a lock, or reads too
 * much) all others wait. A connection that is held up is therefore sent nothing more: reads wait here until one is
 * free, and those that were given up meanwhile are never sent.
 */
export function createReadPool<Pooled extends PooledConnection>({
  connect,
  limits,
  prepare,
}: ReadPoolParts<Pooled>): ReadPool {
  const connections = new Set<Pooled>();
  const waiting: ((nothing: undefined) => void)[] = [];
  let opening: Promise<Pooled> | undefined;
  let underWay = 0;

  function open(): Promise<Pooled> {
    opening ??= connect()
      .then((connection) => {
        connections.add(connection);
        connection.onEnd(() => {
          connections.delete(connection);
          wakeWaiting();
        });
        prepare?.(connection).catch(() => connection.cut());
        return connection;
      })
      .finally(() => (opening = undefined));
    return opening;
  }

  /** An answer came, or a connection was lost: those who wait look again. */
  function wakeWaiting(): void {
    if (waiting.length > 0) for (const wake of waiting.splice(0)) wake(undefined);
  }

  /** One that may be sent to at once. Another is opened meanwhile where it has something to do. */
  function pickNow(): Pooled | undefined {
    const connection = leastBusy(connections, limits.heldUpMs);
    if (connection !== undefined && connections.size < limits.readConnections && connection.unanswered() > 0)
      void open().catch(() => undefined);
    return connection;
  }

  async function pickLater(isWanted: () => boolean): Promise<Pooled> {
    for (;;) {
      if (connections.size < limits.readConnections) return open();
      await new Promise((resolve) => waiting.push(resolve));
      if (!isWanted()) throw new StoreUnavailableError('slow');
      const connection = pickNow();
      if (connection !== undefined) return connection;
    }
  }

  async function ask({ sql, values, isWanted }: Read): Promise<QueryResult> {
    const connection = pickNow() ?? (await pickLater(isWanted));
    try {
      return await connection.execute(sql, values);
    } finally {
      wakeWaiting();
    }
  }

  return {
    execute: async (sql, values, isWanted = () => true) => {
      if (underWay >= limits.readsUnderWay) throw new StoreUnavailableError('overloaded');
      underWay += 1;
      const read = { sql, values, isWanted };
      try {
        return await ask(read);
      } catch (error) {
        if (!(error instanceof StoreUnavailableError) || error.fault !== 'unreachable') throw error;
        return await ask(read);
      } finally {
        underWay -= 1;
      }
    },
  };
}

/** Of those that are not held up. Every read comes here, so it is a plain loop. */
function leastBusy<Pooled extends PooledConnection>(
  connections: Iterable<Pooled>,
  heldUpMs: number,
): Pooled | undefined {
  let found: Pooled | undefined;
  for (const connection of connections) {
    if (connection.waitingMs() >= heldUpMs) continue;
    if (found === undefined || connection.unanswered() < found.unanswered()) found = connection;
  }
  return found;
}
