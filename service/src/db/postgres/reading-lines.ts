import type { Connection, QueryResult } from '../connection.ts';
import type { SqlValue } from '../statement.ts';
import { StoreUnavailableError } from '../store-unavailable-error.ts';
import type { Circuit } from './circuit.ts';
import type { PostgresLimits } from './postgres-limits.ts';
import type { PostgresLine } from './postgres-line.ts';

type ReadingParts = {
  circuit: Pick<Circuit, 'connect'>;
  limits: Pick<PostgresLimits, 'readingLines' | 'readsUnderWay'>;
};

/**
 * A few lines that all reads share. Each statement is a transaction of its own, so many can be under way on one
 * line; it goes to the line with the fewest. A read whose line was lost is asked once more on another.
 */
export function createReadingLines({ circuit, limits }: ReadingParts): Pick<Connection, 'execute'> {
  const lines = new Set<PostgresLine>();
  let opening: Promise<PostgresLine> | undefined;
  let underWay = 0;

  function open(): Promise<PostgresLine> {
    opening ??= circuit
      .connect()
      .then((line) => {
        lines.add(line);
        line.onEnd(() => lines.delete(line));
        return line;
      })
      .finally(() => (opening = undefined));
    return opening;
  }

  function freest(): PostgresLine | undefined {
    return [...lines].sort((a, b) => a.unanswered() - b.unanswered())[0];
  }

  async function pick(): Promise<PostgresLine> {
    const line = freest();
    if (line === undefined) return open();
    if (line.unanswered() > 0 && lines.size < limits.readingLines) void open().catch(() => undefined);
    return line;
  }

  async function execute(sql: string, values: SqlValue[]): Promise<QueryResult> {
    try {
      return await (await pick()).execute(sql, values);
    } catch (error) {
      if (!(error instanceof StoreUnavailableError && error.fault === 'unreachable')) throw error;
      return await (await pick()).execute(sql, values);
    }
  }

  return {
    execute: async (sql, values) => {
      if (underWay >= limits.readsUnderWay) throw new StoreUnavailableError('overloaded');
      underWay += 1;
      try {
        return await execute(sql, values);
      } finally {
        underWay -= 1;
      }
    },
  };
}
