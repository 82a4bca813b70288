import { StoreUnavailableError } from '../store-unavailable-error.ts';
import type { PooledConnection } from './pooled-connection.ts';

/**
 * Lends connections, one to one user at a time, and keeps those that come back in order for the next. There are so
 * many and no more; who finds all of them lent waits, and not for long.
 */
export type ConnectionPool<Pooled extends PooledConnection> = {
  borrow: <T>(use: (connection: Pooled) => Promise<T>) => Promise<T>;
};

type ConnectionPoolParts<Pooled> = { connect: () => Promise<Pooled>; most: number; waitMs: number };

export function createConnectionPool<Pooled extends PooledConnection>({
  connect,
  most,
  waitMs,
}: ConnectionPoolParts<Pooled>): ConnectionPool<Pooled> {
  const idle: Pooled[] = [];
  const waiting: ((nothing: undefined) => void)[] = [];
  let lent = 0;

  function takeIdle(): Pooled | undefined {
    // The one used last is the one most likely to be warm; those that ended meanwhile are passed over.
    for (;;) {
      const connection = idle.pop();
      if (connection === undefined || connection.isAlive()) return connection;
    }
  }

  async function enter(): Promise<void> {
    if (lent < most) {
      lent += 1;
      return;
    }
    const { promise, resolve, reject } = Promise.withResolvers<undefined>();
    const timer = setTimeout(() => {
      waiting.splice(waiting.indexOf(resolve), 1);
      reject(new StoreUnavailableError('overloaded'));
    }, waitMs);
    waiting.push(resolve);
    await promise;
    clearTimeout(timer);
  }

  function leave(): void {
    const next = waiting.shift();
    if (next === undefined) lent -= 1;
    else next(undefined);
  }

  async function use<T>(work: (connection: Pooled) => Promise<T>): Promise<T> {
    const connection = takeIdle() ?? (await connect());
    try {
      return await work(connection);
    } finally {
      const inOrder = connection.isAlive() && !connection.inTransaction() && connection.unanswered() === 0;
      if (inOrder) idle.push(connection);
      else connection.cut();
    }
  }

  return {
    borrow: async (work) => {
      await enter();
      try {
        return await use(work);
      } finally {
        leave();
      }
    },
  };
}
