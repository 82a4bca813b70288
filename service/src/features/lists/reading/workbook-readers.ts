import { createFairSlots, type Clock } from '@mailproof/engine';
import type { ListFile } from './list-file.ts';
import { readInThread } from './read-in-thread.ts';
import { workbookLimits } from './workbook-limits.ts';
import type { SheetPart, ThreadJob } from './workbook-thread.ts';

/** Reads a workbook, part by part. */
export type ReadWorkbook = (file: ListFile, job: ThreadJob) => AsyncGenerator<SheetPart>;

/**
 * The threads that read workbooks. Each may hold as much memory as one upload, so there are few of them, and an account
 * has a part of these at most. Accounts are served in turn, its live and its test keys apart.
 *
 * A consumer that takes its time, as a download over a slow line does, keeps its thread only while nobody waits for one.
 * Else the thread ends; when the consumer comes back it waits like the others, and the file is read again up to the
 * part that it had last. The account that holds threads up pays with its own turns.
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
  /** Reads without waiting for a place. */
  read?: ReadWorkbook;
  limits?: Pick<typeof workbookLimits, 'readers' | 'readersOfAccount' | 'readerIdleMs' | 'readerWaitMs'>;
};

const never = new AbortController().signal;

type Places = {
  /** Waits for its turn; answers with what gives the place back. */
  take(account: string): Promise<() => void>;
  /** Calls back once a consumer has been away for a while and others wait; answers with what stops that. */
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

/** Hands on the parts after the first `from`; answers with how many there were if the consumer was too slow. */
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
