import { systemClock } from '@mailproof/engine';
import { StoreUnavailableError } from '../store-unavailable-error.ts';
import type { PooledConnection } from './pooled-connection.ts';
import { withTimeout } from './with-timeout.ts';

/**
 * A circuit breaker: opens connections to the database, and spares callers the wait for one that is gone.
 *
 *     closed ──none can be opened, or nothing is answered──▶ open ──a connection was opened──▶ closed
 *
 * While it is open every caller is refused at once, and one attempt every half second finds out when the database
 * is back. A connection that is lost alone (cut, ended by an operator) opens nothing: the next caller gets another.
 */
export type Circuit<Pooled extends PooledConnection> = {
  connect: () => Promise<Pooled>;
  /** Ends every connection and every attempt. */
  close: () => Promise<void>;
};

type CircuitParts<Pooled> = {
  open: () => Promise<Pooled>;
  limits: { retryMs: number; silenceMs: number };
};

export function createCircuit<Pooled extends PooledConnection>({
  open,
  limits,
}: CircuitParts<Pooled>): Circuit<Pooled> {
  const connections = new Set<Pooled>();
  // Three eighths of silence, one until it is looked for, four to ask: silence has ended within its limit.
  const watch = setInterval(() => void lookForSilence(), limits.silenceMs / 8).unref();
  let failure: StoreUnavailableError | undefined;
  let retry: NodeJS.Timeout | undefined;
  let asking = false;
  let ended = false;

  async function openConnection(): Promise<Pooled> {
    const connection = await open();
    connections.add(connection);
    connection.onEnd(() => connections.delete(connection));
    if (ended) connection.cut();
    return connection;
  }

  async function connect(): Promise<Pooled> {
    if (ended) throw new StoreUnavailableError('closed');
    if (failure !== undefined) throw new StoreUnavailableError(failure.fault, failure.cause);
    const opening = openConnection();
    try {
      return await withTimeout(opening, limits.silenceMs);
    } catch (error) {
      // Whoever asked is told that there is none; should it be opened after all, nobody has it.
      void opening.then((connection) => connection.close()).catch(() => undefined);
      // Out of connections, but we have some: whoever holds them goes on.
      if (error instanceof StoreUnavailableError && connections.size === 0) breakOpen(error);
      throw error;
    }
  }

  function breakOpen(error: StoreUnavailableError): void {
    if (failure !== undefined || ended) return;
    failure = error;
    retry = setTimeout(() => void tryAgain(), limits.retryMs).unref();
  }

  async function tryAgain(): Promise<void> {
    try {
      const connection = await openConnection();
      failure = undefined;
      await connection.close();
    } catch {
      if (!ended) retry = setTimeout(() => void tryAgain(), limits.retryMs).unref();
    }
  }

  /** A cut cable or a stopped server closes no connection: what was asked is just never answered. */
  async function lookForSilence(): Promise<void> {
    const silent = [...connections].some((connection) => connection.waitingMs() > (limits.silenceMs * 3) / 8);
    if (!silent || asking || failure !== undefined) return;
    asking = true;
    const answered = await isAnswering([...connections], {
      open: openConnection,
      withinMs: limits.silenceMs / 2,
    });
    asking = false;
    if (answered) return;
    breakOpen(new StoreUnavailableError('unreachable'));
    for (const connection of connections) connection.cut();
  }

  return {
    connect,
    close: async () => {
      ended = true;
      clearInterval(watch);
      clearTimeout(retry);
      await Promise.all([...connections].map((connection) => connection.close()));
    },
  };
}

type AskParts = { open: () => Promise<PooledConnection>; withinMs: number };

/**
 * Whether the database answers anything: on a connection with nothing under way, or else on a new one. One that waits
 * for a lock or works on something long says nothing about it.
 */
async function isAnswering(connections: PooledConnection[], { open, withinMs }: AskParts): Promise<boolean> {
  const probes = connections
    .filter((connection) => connection.unanswered() === 0)
    .map((connection) => connection.execute('select 1', []).then(() => true, saysSomething));
  if (probes.length === 0) probes.push(openAndClose(open).then(() => true, saysSomething));
  const { promise: late, resolve } = Promise.withResolvers<false>();
  const cancel = systemClock.after(withinMs, () => resolve(false));
  try {
    return await Promise.race([Promise.any(probes), late]);
  } catch {
    return false;
  } finally {
    cancel();
  }
}

async function openAndClose(open: AskParts['open']): Promise<void> {
  await (await open()).close();
}

/** Even a refusal is an answer, unless it says that there is nobody. */
function saysSomething(error: unknown): true {
  if (error instanceof StoreUnavailableError && error.fault === 'unreachable') throw error;
  return true;
}
