import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import type { Connection, QueryResult } from '../connection.ts';
import type { SqlValue } from '../statement.ts';
import { StoreUnavailableError, type StoreFault } from '../store-unavailable-error.ts';
import type { SqliteOptions } from './sqlite-connection.ts';

/**
 * A connection to a SQLite file that lives in a thread of its own, so that neither a statement nor the sync of a
 * commit makes the event loop stand still.
 *
 * Whatever is asked for in one turn goes over in one message and is answered in one: a crossing costs about as much
 * as a statement. Messages are JSON, which takes a fraction of the time that Node needs to clone arrays. If the thread dies, whatever is asked of it fails as a failing store does; that is a defect or
 * the end of memory, and a restart of the process is the remedy.
 */
/** Sent with what follows it, not waited for: see sqlite-thread.ts. */
export const beginning = 'begin immediate';

export type Order = [number: number, values: SqlValue[], text?: string];

/** A mistake goes over as its name and message: its stack is in the thread, its cause is a statement of ours. */
export type Answer = QueryResult | { fault: StoreFault; why: string } | { mistake: string };

export type ThreadReply = { answers: Answer[]; inTransaction: boolean };

type Pending = { resolve: (result: QueryResult) => void; reject: (error: unknown) => void };

export async function openThreadedConnection(options: SqliteOptions): Promise<Connection> {
  const thread = new Worker(new URL('./sqlite-thread.ts', import.meta.url), { workerData: options });
  const [opened] = (await once(thread, 'message')) as [string];
  const [refusal] = readReply(opened).answers;
  if (refusal !== undefined && !('rows' in refusal)) throw errorOf(refusal);
  return connectionOver(thread);
}

function connectionOver(thread: Worker): Connection {
  const numbers = new Map<string, number>();
  const pending: Pending[] = [];
  let orders: Order[] = [];
  let inTransaction = false;
  let ended = false;

  // Idle, it keeps no process from ending.
  thread.unref();
  thread.on('message', (text: string) => {
    const reply = readReply(text);
    inTransaction = reply.inTransaction;
    const answered = pending.splice(0, reply.answers.length);
    if (pending.length === 0) thread.unref();
    reply.answers.forEach((answer, index) => {
      if ('rows' in answer) answered[index]?.resolve(answer);
      else answered[index]?.reject(errorOf(answer));
    });
  });
  const end = (cause: unknown) => {
    ended = true;
    for (const { reject } of pending.splice(0)) reject(new StoreUnavailableError('failing', cause));
  };
  thread.on('error', end);
  thread.on('exit', () => end(undefined));

  function send(): void {
    if (ended) return;
    thread.ref();
    thread.postMessage(JSON.stringify(orders));
    orders = [];
  }

  function orderFor(sql: string, values: SqlValue[]): Order {
    const known = numbers.get(sql);
    if (known !== undefined) return [known, values];
    numbers.set(sql, numbers.size);
    return [numbers.size - 1, values, sql];
  }

  return {
    execute: (sql, values) => {
      if (ended) return Promise.reject(new StoreUnavailableError('closed'));
      if (orders.length === 0) queueMicrotask(send);
      orders.push(orderFor(sql, values));
      if (sql === beginning) return leaveUnheard(pending);
      return new Promise((resolve, reject) => void pending.push({ resolve, reject }));
    },
    inTransaction: () => inTransaction && !ended,
    close: async () => {
      if (ended) return;
      ended = true;
      thread.ref();
      thread.postMessage('[]');
      await once(thread, 'exit');
    },
  };
}

/** Where the transaction could not begin, all that is sent for it is refused with the same. */
function leaveUnheard(pending: Pending[]): Promise<QueryResult> {
  pending.push({ resolve: () => undefined, reject: () => undefined });
  return Promise.resolve({ rows: [], changes: 0 });
}

/** Only sqlite-thread.ts writes them. */
function readReply(text: string): ThreadReply {
  return JSON.parse(text) as ThreadReply;
}

function errorOf(answer: Exclude<Answer, QueryResult>): Error {
  return 'fault' in answer ? new StoreUnavailableError(answer.fault, answer.why) : new Error(answer.mistake);
}
