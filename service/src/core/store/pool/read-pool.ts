import type { QueryResult } from '../connection.ts';
import type { SqlValue } from '../statement.ts';
import { StoreUnavailableError } from '../store-unavailable-error.ts';
import type { PooledConnection } from './pooled-connection.ts';

type ReadPoolParts<Pooled> = {
  connect: () => Promise<Pooled>;
  limits: { readConnections: number; readsUnderWay: number; heldUpMs: number };
  /** Runs once on each new connection. */
  prepare?: (connection: Pooled) => Promise<unknown>;
};

type ReadPool = {
  /** Sends a read, unless `isWanted` says before sending that it is no longer needed. */
  execute: (sql: string, values: SqlValue[], isWanted?: () => boolean) => Promise<QueryResult>;
};

type Read = { sql: string; values: SqlValue[]; isWanted: () => boolean };

/**
 * A few connections that all reads share. Each statement is a transaction of its own, so one connection can carry
 * many at a time. A read goes to the connection with the fewest. If its connection is lost, it is sent once more on
 * another.
 *
 * Answers come in the order sent, so a slow statement (it waits for a lock, or reads too much) delays all later
 * ones. A connection that is held up therefore gets no more reads. They wait here until a connection is free, and
 * abandoned reads are never sent.
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

  /** Makes waiting reads look again, after an answer or the loss of a connection. */
  function wakeWaiting(): void {
    if (waiting.length > 0) for (const wake of waiting.splice(0)) wake(undefined);
  }

  /** Returns a connection that can take a read now, and opens another if that one is busy. */
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

/** Returns the least busy connection that is not held up. Every read comes here, so it is a plain loop. */
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
