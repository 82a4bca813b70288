import type { Tx } from '../statement.ts';
import { StoreUnavailableError, type StoreFault } from '../store-unavailable-error.ts';
import { answerWrites, type PendingWrite, type WriteOutcome } from './commit-group.ts';
import type { Deadlines } from './deadlines.ts';
import { createGroupDeadline, tooLate, type GroupDeadline } from './group-deadline.ts';
import { createGroupSize } from './group-size.ts';
import {
  createPendingWrites,
  type PendingWrites,
  type WriteAsker,
  type WriteKind,
} from './pending-writes.ts';

/**
 * Gathers the operations of many callers into transactions, for a database with many writers: one queue for each
 * serial key.
 *
 * What moves an account's credits has the account as its key: one transaction at a time over all processes, held
 * together by a lock (see postgres/run-group.ts). So no two transactions ever want two accounts in different order, and
 * the wait is in a queue of ours and not on a row. Queues run side by side, each transaction on a connection of its own.
 * What moves no credits needs no key; each process runs it in one queue of its own, without a lock.
 *
 * As with SQLite, an operation that throws is undone alone, and may run twice. A transaction that the database undid
 * because of another (a deadlock, a serialization failure) is run again a few times.
 *
 * What requests wait for has transactions of its own, which end when the first of its requests will wait no longer.
 * Requests that end have others than requests that begin: under load, work that is done is not lost to work that waits.
 * Where one ends because of a lock or because it took too long, all that waits in its queue is refused with it.
 */
type SerialWriteQueues = {
  write: <T>(operation: (tx: Tx) => Promise<T>, options?: WriteOptions) => Promise<T>;
  /** How long the one who has waited longest has been waiting, where it tells something of the load of the database. */
  waitMs: () => number;
  /** Commits what is waiting, then refuses what comes later. */
  close: () => Promise<void>;
};

type WriteOptions = {
  serialKey?: string | undefined;
  /** When whoever waits for it has to be answered; without it, whenever it is done. */
  until?: number;
  /** Whether it ends a request whose mail host has answered. */
  ends?: boolean;
  /** `durable` unless something else is said. */
  kind?: WriteKind;
};

type SerialWriteQueuesParts = {
  /** Runs operations in one transaction of their key. */
  runGroup: (
    operations: ((tx: Tx) => Promise<unknown>)[],
    group: { serialKey: string | undefined; asker: WriteAsker; kind: WriteKind; deadline: GroupDeadline },
  ) => Promise<WriteOutcome[]>;
  deadlines: Deadlines;
  limits: {
    writeConnections: number;
    operationsInGroup: number;
    operationsWaiting: number;
    commitMs: number;
    requestGroupMs: number;
    fewInGroup: number;
    fewInGroupMs: number;
  };
};

export function createSerialWriteQueues(parts: SerialWriteQueuesParts): SerialWriteQueues {
  const { limits } = parts;
  /** Those in which something waits or is being committed; what is being committed is not in `ready`. */
  const queues = new Map<string, PendingWrites>();
  const ready: string[] = [];
  const few = { operations: limits.fewInGroup, longMs: limits.fewInGroupMs };
  const sizes = {
    request: createGroupSize({ most: limits.operationsInGroup, longMs: limits.requestGroupMs, few }),
    ending: createGroupSize({ most: limits.operationsInGroup, longMs: limits.requestGroupMs, few }),
    service: createGroupSize({ most: limits.operationsInGroup, longMs: Infinity }),
  };
  let active = 0;
  let waiting = 0;
  let closing: (() => void) | undefined;
  let closed = false;

  function startSome(): void {
    while (active < limits.writeConnections) {
      const name = ready.shift();
      const queue = name === undefined ? undefined : queues.get(name);
      if (name === undefined || queue === undefined) return;
      active += 1;
      void commitNext(queue).finally(() => {
        active -= 1;
        if (queue.size() === 0) queues.delete(name);
        else ready.push(name);
        startSome();
        if (queues.size === 0) closing?.();
      });
    }
  }

  async function commitNext(queue: PendingWrites): Promise<void> {
    // What arrives in this round of the event loop shares a commit.
    await new Promise((resolve) => setImmediate(resolve));
    const size = sizes[queue.asker];
    const group = queue.take(size.now());
    if (group.length === 0) return;
    const startedAt = performance.now();
    await answerGroup(group, { ...parts, queue });
    size.note(performance.now() - startedAt, group.length);
  }

  function enqueue(write: PendingWrite, { serialKey, ends = false, kind = 'durable' }: WriteOptions): void {
    const asker = write.until === Infinity ? 'service' : ends ? 'ending' : 'request';
    // What has to last shares no transaction with what need not.
    const name = `${asker} ${kind} ${serialKey ?? ''}`;
    const known = queues.get(name);
    const onCount = (more: number) => (waiting += more);
    const queue = known ?? createPendingWrites({ serialKey, asker, kind }, { ...parts, onCount });
    queue.push(write);
    if (known !== undefined) return;
    queues.set(name, queue);
    ready.push(name);
    startSome();
  }

  return {
    write: <T>(operation: (tx: Tx) => Promise<T>, options: WriteOptions = {}) => {
      if (closed) return Promise.reject(new StoreUnavailableError('closed'));
      if (waiting >= limits.operationsWaiting) return Promise.reject(new StoreUnavailableError('overloaded'));
      return new Promise<T>((resolve, reject) => {
        // The value is the operation's own; the queue only carries it.
        const answer = (value: unknown) => resolve(value as T);
        const { until = Infinity } = options;
        enqueue({ since: performance.now(), until, run: operation, resolve: answer, reject }, options);
      });
    },
    waitMs: () => Math.max(0, ...[...queues.values()].filter(tellsOfLoad).map((queue) => queue.waitMs())),
    close: async () => {
      closed = true;
      if (queues.size > 0) await new Promise<void>((resolve) => (closing = resolve));
    },
  };
}

/** The service's own work for one account may wait for a lock on it, which says nothing about the others. */
function tellsOfLoad({ asker, serialKey }: PendingWrites): boolean {
  return asker !== 'service' || serialKey === undefined;
}

async function answerGroup(
  group: PendingWrite[],
  parts: SerialWriteQueuesParts & { queue: PendingWrites },
): Promise<void> {
  const { queue } = parts;
  const { serialKey, asker, kind } = queue;
  const until = Math.min(...group.map((write) => write.until));
  let told = false;
  const refuse = (error: unknown) => {
    if (told) return;
    told = true;
    for (const write of group) write.reject(error);
    // A lock or a slow database: those behind would fare no better.
    if (asker !== 'service' && isHeldUp(error))
      for (const write of queue.take(Infinity)) write.reject(isUnconfirmed(error) ? tooLate() : error);
  };
  const deadline = createGroupDeadline(until, { ...parts, onLate: refuse });
  try {
    const operations = group.map(({ run }) => run);
    answerWrites(group, await parts.runGroup(operations, { serialKey, asker, kind, deadline }));
  } catch (error) {
    refuse(error);
  } finally {
    deadline.end();
  }
}

const heldUp: ReadonlySet<StoreFault> = new Set<StoreFault>(['busy', 'slow', 'unconfirmed']);

function isHeldUp(error: unknown): boolean {
  return error instanceof StoreUnavailableError && heldUp.has(error.fault);
}

/** Of those behind nothing was sent yet. */
function isUnconfirmed(error: unknown): boolean {
  return error instanceof StoreUnavailableError && error.fault === 'unconfirmed';
}
