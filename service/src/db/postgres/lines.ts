import { StoreUnavailableError } from '../store-unavailable-error.ts';
import type { Circuit } from './circuit.ts';
import type { PostgresLine } from './postgres-line.ts';

/**
 * Lends lines, one to one user at a time, and keeps those that come back in order for the next. There are so many
 * and no more; who comes too late waits for its turn, and not for long.
 */
export type Lines = { borrow: <T>(use: (line: PostgresLine) => Promise<T>) => Promise<T> };

type LinesParts = { circuit: Pick<Circuit, 'connect'>; most: number; waitMs: number };

export function createLines({ circuit, most, waitMs }: LinesParts): Lines {
  const idle: PostgresLine[] = [];
  const turns: ((nothing: undefined) => void)[] = [];
  let lent = 0;

  function take(): PostgresLine | undefined {
    // The one used last is the one most likely to be warm; lines that ended meanwhile are passed over.
    for (;;) {
      const line = idle.pop();
      if (line === undefined || line.alive()) return line;
    }
  }

  async function enter(): Promise<void> {
    if (lent < most) {
      lent += 1;
      return;
    }
    const { promise, resolve, reject } = Promise.withResolvers<undefined>();
    const timer = setTimeout(() => {
      turns.splice(turns.indexOf(resolve), 1);
      reject(new StoreUnavailableError('overloaded'));
    }, waitMs);
    turns.push(resolve);
    await promise;
    clearTimeout(timer);
  }

  function leave(): void {
    const next = turns.shift();
    if (next === undefined) lent -= 1;
    else next(undefined);
  }

  async function use<T>(work: (line: PostgresLine) => Promise<T>): Promise<T> {
    const line = take() ?? (await circuit.connect());
    try {
      return await work(line);
    } finally {
      if (line.alive() && !line.inTransaction() && line.unanswered() === 0) idle.push(line);
      else line.cut();
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
