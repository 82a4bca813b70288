import type { SqlValue } from './statement.ts';

export type QueryResult = { rows: unknown[]; changes: number };

/**
 * A connection to a database. A statement may be asked for before the one before is answered: they run in the order
 * of the asking. A failure of the store itself is thrown as `StoreUnavailableError`, anything else as the driver's
 * own error.
 */
export type Connection = {
  execute(sql: string, values: SqlValue[]): Promise<QueryResult>;
  inTransaction(): boolean;
  /**
   * Whether the database itself refuses to commit a transaction in which a statement has failed. Then a commit can be
   * sent before the statements are answered.
   */
  commitsOnlyWhole: boolean;
  close(): Promise<void>;
};
