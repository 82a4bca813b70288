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

  function leastBusy(): Pooled | undefined {
    return [...connections]
      .filter((connection) => connection.waitingMs() < limits.heldUpMs)
      .sort((a, b) => a.unanswered() - b.unanswered())[0];
  }

  /** An answer came, or a connection was lost: those who wait look again. */
  function wakeWaiting(): void {
    if (waiting.length > 0) for (const wake of waiting.splice(0)) wake(undefined);
  }

  async function pick(isWanted: () => boolean): Promise<Pooled> {
    for (;;) {
      const connection = leastBusy();
      const mayOpen = connections.size < limits.readConnections;
      if (connection === undefined && mayOpen) return open();
      if (connection !== undefined) {
        if (mayOpen && connection.unanswered() > 0) void open().catch(() => undefined);
        return connection;
      }
      await new Promise((resolve) => waiting.push(resolve));
      if (!isWanted()) throw new StoreUnavailableError('slow');
    }
  }

  async function ask({ sql, values, isWanted }: Read): Promise<QueryResult> {
    const connection = await pick(isWanted);
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
      try {
        const read = { sql, values, isWanted };
        return await ask(read).catch((error: unknown) => askAgain(error, () => ask(read)));
      } finally {
        underWay -= 1;
      }
    },
  };
}

function askAgain<T>(error: unknown, ask: () => Promise<T>): Promise<T> {
  if (error instanceof StoreUnavailableError && error.fault === 'unreachable') return ask();
  throw error;
}
