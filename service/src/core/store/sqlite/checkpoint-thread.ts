import { once } from 'node:events';
import { Worker } from 'node:worker_threads';

/**
 * A thread that moves committed changes from the write-ahead log to the database file. To write and sync megabytes
 * would block the thread that serves requests. It is for jobs that write much and can wait, such as erasures. A
 * commit that finds a long log still moves it by itself (`wal_autocheckpoint`).
 */
type CheckpointThread = {
  /** Resolves once all earlier commits are moved, as far as no reader needs older pages. */
  carryOver: () => Promise<void>;
  close: () => Promise<void>;
};

const program = `
  const { parentPort, workerData } = require('node:worker_threads');
  const { DatabaseSync } = require('node:sqlite');
  const database = new DatabaseSync(workerData, { timeout: 0 });
  database.exec('pragma synchronous = full');
  parentPort.on('message', (wish) => {
    if (wish === 'carry over') {
      database.prepare('pragma wal_checkpoint(passive)').get();
      parentPort.postMessage('done');
    } else {
      database.close();
      parentPort.close();
    }
  });
`;

export function createCheckpointThread(file: string): CheckpointThread {
  let thread: Worker | undefined;
  let carrying: Promise<void> | undefined;
  let answer = (): void => undefined;

  function start(): Worker {
    const started = new Worker(program, { eval: true, workerData: file });
    started.on('message', () => answer());
    // The next commit meets and reports the same problem, such as a full disk. The next call starts another thread.
    started.on('error', () => undefined);
    started.on('exit', () => {
      thread = undefined;
      answer();
    });
    return started;
  }

  async function ask(): Promise<void> {
    const asked = (thread ??= start());
    asked.ref();
    const answered = new Promise<void>((resolve) => (answer = resolve));
    asked.postMessage('carry over');
    await answered;
    // The thread does not keep the process alive.
    asked.unref();
    carrying = undefined;
  }

  return {
    carryOver: async () => {
      // The running checkpoint may have begun before the last commit.
      await carrying;
      await (carrying ??= ask());
    },
    close: async () => {
      await carrying;
      if (thread === undefined) return;
      const exited = once(thread, 'exit');
      thread.ref();
      thread.postMessage('close');
      await exited;
    },
  };
}
