import { createFairSlots, type Clock } from '@mailproof/engine';
import type { ListFile } from './list-file.ts';
import { workbookLimits } from './workbook-limits.ts';
import type { SheetPart, ThreadJob, FromThread, ThreadOrder, ToThread } from './workbook-thread.ts';
import { setFlagsFromString } from 'node:v8';
import { Worker } from 'node:worker_threads';
import { ListProblem } from './list-problem.ts';

/** Reads a workbook, part by part. */
export type ReadWorkbook = (file: ListFile, job: ThreadJob) => AsyncGenerator<SheetPart>;

/**
 * The threads that read workbooks. Each may hold as much memory as one upload, so there are few, and an account may use
 * only some of them. Accounts are served in turn; an account's live and test keys count apart.
 *
 * A slow consumer, such as a download over a slow connection, keeps its thread only while no other reader waits.
 * Otherwise the thread ends. When the consumer returns, it waits like the others, and the file is read again up to its
 * last part. The account that blocks threads so bears the delay itself.
 */
export type WorkbookReaders = {
  readerFor(owner: { accountId: string; mode: 'live' | 'test' }): ReadWorkbook;
};

/** No reader became free in time. The request may be repeated later. */
class ReadersBusyError extends Error {
  readonly code = 'EBUSY';
  constructor() {
    super('no thread to read a workbook became free');
    this.name = 'ReadersBusyError';
  }
}

type WorkbookReadersParts = {
  clock: Clock;
  /** Reads without waiting for a thread. */
  read?: ReadWorkbook;
  limits?: Pick<typeof workbookLimits, 'readers' | 'readersOfAccount' | 'readerIdleMs' | 'readerWaitMs'>;
};

const never = new AbortController().signal;

type Places = {
  /** Waits for a thread; returns the function that releases it. */
  take(account: string): Promise<() => void>;
  /** Calls `giveUp` once a consumer has paused for a while and others wait; returns the function that cancels this. */
  whenIdle(giveUp: () => void): () => void;
};

function createPlaces({ clock, limits = workbookLimits }: WorkbookReadersParts): Places {
  const held = new Map<string, number>();
  let [inUse, waiting] = [0, 0];
  const count = (account: string, more: number): void => {
    inUse += more;
    held.set(account, (held.get(account) ?? 0) + more);
    if (held.get(account) === 0) held.delete(account);
  };
  const slots = createFairSlots({
    clock,
    rule: {
      hasRoom: () => inUse < limits.readers,
      hasShare: (account) => (held.get(account) ?? 0) < limits.readersOfAccount,
    },
    onTaken: ({ account }) => count(account, 1),
    onReleased: ({ account }) => count(account, -1),
  });
  return {
    async take(account) {
      waiting += 1;
      try {
        const patience = { deadline: clock.now() + limits.readerWaitMs, signal: never };
        const slot = await slots.take({ urgency: 'bulk', account }, patience);
        if (slot.kind === 'timeout') throw new ReadersBusyError();
        return slot.release;
      } finally {
        waiting -= 1;
      }
    },
    whenIdle(giveUp) {
      let cancel: () => void;
      const look = (): void => {
        if (waiting > 0) giveUp();
        else cancel = clock.after(limits.readerIdleMs, look);
      };
      cancel = clock.after(limits.readerIdleMs, look);
      return () => cancel();
    },
  };
}

type Session = { parts: AsyncGenerator<SheetPart>; release: () => void; places: Places };

/** Yields the parts after the first `from`. If the consumer was too slow, returns how many there were. */
async function* readParts(
  { parts, release, places }: Session,
  from: number,
): AsyncGenerator<SheetPart, number | undefined> {
  const givenUp = new AbortController();
  let number = 0;
  try {
    for (;;) {
      const next = await parts.next();
      if (next.done === true) return undefined;
      number += 1;
      if (number <= from) continue;
      const stop = places.whenIdle(() => {
        givenUp.abort();
        void parts.return(undefined).finally(release);
      });
      try {
        yield next.value;
      } finally {
        stop();
      }
      if (givenUp.signal.aborted) return number;
    }
  } finally {
    await parts.return(undefined);
    release();
  }
}

export function createWorkbookReaders(parts: WorkbookReadersParts): WorkbookReaders {
  const { read = readInThread } = parts;
  const places = createPlaces(parts);

  async function* readInTurn(account: string, file: ListFile, job: ThreadJob): AsyncGenerator<SheetPart> {
    let from: number | undefined = 0;
    while (from !== undefined) {
      const release = await places.take(account);
      from = yield* readParts({ parts: read(file, job), release, places }, from);
    }
  }

  return {
    readerFor:
      ({ accountId, mode }) =>
      (file, job) =>
        readInTurn(`${mode} ${accountId}`, file, job),
  };
}

/**
 * Reads a workbook in a thread with its own heap. The reader counts the memory it holds; the heap limit is the second
 * barrier. A file that passes the counts ends only its thread and is refused.
 */
export async function* readInThread(
  file: ListFile,
  job: ThreadJob,
  limits: { heapMb: number; silenceMs: number } = workbookLimits,
): AsyncGenerator<SheetPart> {
  const thread = startThread({ size: file.size, job }, limits);
  try {
    for (;;) {
      const message = await thread.next();
      switch (message.kind) {
        case 'read':
          thread.answer({
            kind: 'bytes',
            id: message.id,
            bytes: await file.slice(message.start, message.end),
          });
          break;
        case 'part':
          yield message.part;
          thread.answer({ kind: 'go_on', id: message.id });
          break;
        case 'problem':
          throw new ListProblem(message.reason, message.detail);
        case 'done':
          return;
      }
    }
  } finally {
    await thread.end();
  }
}

/** Compiled, the thread's file is JavaScript in the same folder. */
const program = new URL(`./workbook-thread${import.meta.url.slice(-3)}`, import.meta.url);

function startThread(order: ThreadOrder, { heapMb, silenceMs }: { heapMb: number; silenceMs: number }) {
  // Heap limits from the process's command line override the limits below in its threads. They already apply to the
  // main thread, so they can be reset.
  setFlagsFromString('--max-old-space-size=0');
  setFlagsFromString('--max-semi-space-size=0');
  const resourceLimits = { maxOldGenerationSizeMb: heapMb, maxYoungGenerationSizeMb: 4, stackSizeMb: 2 };
  const worker = new Worker(program, { workerData: order, resourceLimits, env: {} });
  const arrived: (FromThread | Error)[] = [];
  let onArrival: (() => void) | undefined;
  const put = (message: FromThread | Error): void => {
    arrived.push(message);
    onArrival?.();
  };
  worker.on('message', put);
  worker.on('error', (error: Error) => put(isOutOfMemory(error) ? tooCostly('memory') : error));
  worker.on('exit', () => put(new Error('the thread that reads a workbook ended without an answer')));

  async function wait(): Promise<void> {
    const arrival = Promise.withResolvers<undefined>();
    onArrival = () => arrival.resolve(undefined);
    const timer = setTimeout(() => put(tooCostly('time')), silenceMs);
    try {
      await arrival.promise;
    } finally {
      clearTimeout(timer);
      onArrival = undefined;
    }
  }

  return {
    async next(): Promise<FromThread> {
      if (arrived.length === 0) await wait();
      const message = arrived.shift();
      if (message === undefined || message instanceof Error) throw message ?? new Error('nothing arrived');
      return message;
    },
    answer: (message: ToThread) => worker.postMessage(message),
    end: () => worker.terminate(),
  };
}

function isOutOfMemory(error: Error): boolean {
  return 'code' in error && error.code === 'ERR_WORKER_OUT_OF_MEMORY';
}

function tooCostly(what: 'memory' | 'time'): ListProblem {
  return new ListProblem(
    'list_too_large',
    `The workbook takes more ${what} to read than one upload may. Export the list as CSV and upload that.`,
  );
}
