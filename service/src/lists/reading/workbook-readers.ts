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

export function createWorkbookReaders({
  clock,
  read = readInThread,
  limits = workbookLimits,
}: WorkbookReadersParts): WorkbookReaders {
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

  async function takePlace(account: string): Promise<() => void> {
    waiting += 1;
    try {
      const patience = { deadline: clock.now() + limits.readerWaitMs, signal: never };
      const slot = await slots.take({ urgency: 'bulk', account }, patience);
      if (slot.kind === 'timeout') throw new ReadersBusyError();
      return slot.release;
    } finally {
      waiting -= 1;
    }
  }

  /** Calls back once the consumer has been away for a while and others wait; answers with what stops that. */
  function whenIdle(giveUp: () => void): () => void {
    let cancel: () => void;
    const look = (): void => {
      if (waiting > 0) giveUp();
      else cancel = clock.after(limits.readerIdleMs, look);
    };
    cancel = clock.after(limits.readerIdleMs, look);
    return () => cancel();
  }

  /** Hands on the parts from `from`; answers with how many there were if the consumer was too slow. */
  async function* readParts(
    session: AsyncGenerator<SheetPart>,
    from: number,
    release: () => void,
  ): AsyncGenerator<SheetPart, number | undefined> {
    let number = 0;
    try {
      for (;;) {
        const next = await session.next();
        if (next.done === true) return undefined;
        number += 1;
        if (number <= from) continue;
        let isGivenUp = false;
        const stop = whenIdle(() => {
          isGivenUp = true;
          void session.return(undefined).finally(release);
        });
        try {
          yield next.value;
        } finally {
          stop();
        }
        if (isGivenUp) return number;
      }
    } finally {
      await session.return(undefined);
      release();
    }
  }

  async function* readInTurn(account: string, file: ListFile, job: ThreadJob): AsyncGenerator<SheetPart> {
    let from: number | undefined = 0;
    while (from !== undefined) {
      const release = await takePlace(account);
      from = yield* readParts(read(file, job), from, release);
    }
  }

  return {
    readerFor:
      ({ accountId, mode }) =>
      (file, job) =>
        readInTurn(`${mode} ${accountId}`, file, job),
  };
}
