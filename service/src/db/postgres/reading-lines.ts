import type { QueryResult } from '../connection.ts';
import type { SqlValue } from '../statement.ts';
import { StoreUnavailableError } from '../store-unavailable-error.ts';
import type { Circuit } from './circuit.ts';
import type { PostgresLimits } from './postgres-limits.ts';
import type { PostgresLine } from './postgres-line.ts';

type ReadingParts = {
  circuit: Pick<Circuit, 'connect'>;
  limits: Pick<PostgresLimits, 'readingLines' | 'readsUnderWay' | 'heldUpMs'>;
  /** Is done with each line once it is open. */
  tune?: (line: PostgresLine) => Promise<unknown>;
};

type ReadingLines = {
  /** A read that nobody wants any more before it was sent is not sent. */
  execute: (sql: string, values: SqlValue[], isWanted?: () => boolean) => Promise<QueryResult>;
};

type Read = { sql: string; values: SqlValue[]; isWanted: () => boolean };

/**
 * A few lines that all reads share. Each statement is a transaction of its own, so many can be under way on one
 * line; it goes to the line with the fewest. A read whose line was lost is asked once more on another.
 *
 * Answers come in the order of the asking, so behind a statement that takes long (it waits for a lock, or reads too
 * much) all others wait. A line that is held up is therefore sent nothing more: reads wait here until one is free, and
 * those that were given up meanwhile are never sent.
 */
export function createReadingLines({ circuit, limits, tune }: ReadingParts): ReadingLines {
  const lines = new Set<PostgresLine>();
  const turns: ((nothing: undefined) => void)[] = [];
  let opening: Promise<PostgresLine> | undefined;
  let underWay = 0;

  function open(): Promise<PostgresLine> {
    opening ??= circuit
      .connect()
      .then((line) => {
        lines.add(line);
        line.onEnd(() => {
          lines.delete(line);
          callNext();
        });
        tune?.(line).catch(() => line.cut());
        return line;
      })
      .finally(() => (opening = undefined));
    return opening;
  }

  function freest(): PostgresLine | undefined {
    return [...lines]
      .filter((line) => line.waitingMs() < limits.heldUpMs)
      .sort((a, b) => a.unanswered() - b.unanswered())[0];
  }

  /** An answer came, or a line was lost: those who wait look again. */
  function callNext(): void {
    if (turns.length > 0) for (const turn of turns.splice(0)) turn(undefined);
  }

  async function pick(isWanted: () => boolean): Promise<PostgresLine> {
    for (;;) {
      const line = freest();
      const more = lines.size < limits.readingLines;
      if (line === undefined && more) return open();
      if (line !== undefined) {
        if (more && line.unanswered() > 0) void open().catch(() => undefined);
        return line;
      }
      await new Promise((resolve) => turns.push(resolve));
      if (!isWanted()) throw new StoreUnavailableError('slow');
    }
  }

  async function ask({ sql, values, isWanted }: Read): Promise<QueryResult> {
    const line = await pick(isWanted);
    try {
      return await line.execute(sql, values);
    } finally {
      callNext();
    }
  }

  async function askTwice(read: Read): Promise<QueryResult> {
    try {
      return await ask(read);
    } catch (error) {
      if (!(error instanceof StoreUnavailableError && error.fault === 'unreachable')) throw error;
      return await ask(read);
    }
  }

  return {
    execute: async (sql, values, isWanted = () => true) => {
      if (underWay >= limits.readsUnderWay) throw new StoreUnavailableError('overloaded');
      underWay += 1;
      try {
        return await askTwice({ sql, values, isWanted });
      } finally {
        underWay -= 1;
      }
    },
  };
}
