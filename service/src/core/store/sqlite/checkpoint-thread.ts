import { once } from 'node:events';
import { Worker } from 'node:worker_threads';

/**
 * Carries what was committed from the write-ahead log over to the database file, in a thread of its own: that is to write
 * and sync megabytes, for which the thread that serves requests would stand still. It is for those who write much and can
 * wait, such as whoever erases; a commit that finds the log long still carries over by itself (`wal_autocheckpoint`).
 */
type CheckpointThread = {
  /** Answers once what was committed before is carried over, as far as nobody reads older pages. */
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
    // What it met, such as a disk that is full, the next commit meets too and tells. Another is started the next time.
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
    // It keeps no process from ending.
    asked.unref();
    carrying = undefined;
  }

  return {
    carryOver: async () => {
      // What is under way may have begun before the last commit.
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
