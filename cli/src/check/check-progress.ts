import { contractLimits } from '@mailproof/client';
import type { JournalEntry } from './journal-entry.ts';

/** How far a check has come, in this run and those before it. */
export type CheckProgress = {
  /** Addresses answered when this run began. */
  answered: number;
  isDone(chunk: number): boolean;
  /** The task that was created for a chunk that has no answers yet. */
  taskOf(chunk: number): string | undefined;
  addCredits(credits: number): void;
  credits(): number;
};

type ProgressReader = { take(entry: JournalEntry): void; progress(): CheckProgress };

/** Reads the progress from the entries of a journal. It holds a byte for each chunk, and the ids of the few open tasks. */
export function createProgressReader(addresses: number): ProgressReader {
  const done = new Uint8Array(Math.ceil(addresses / contractLimits.bulkEmails));
  const tasks = new Map<number, string>();
  let answered = 0;
  let credits = 0;
  return {
    take(entry) {
      switch (entry.kind) {
        case 'head':
          return;
        case 'task':
          tasks.set(entry.chunk, entry.id);
          return;
        case 'done':
          tasks.delete(entry.chunk);
          if (done[entry.chunk] === 1) return;
          done[entry.chunk] = 1;
          answered += entry.answers.length;
          credits += entry.credits;
      }
    },
    progress: () => ({
      answered,
      isDone: (chunk) => done[chunk] === 1,
      taskOf: (chunk) => tasks.get(chunk),
      addCredits(more) {
        credits += more;
      },
      credits: () => credits,
    }),
  };
}
