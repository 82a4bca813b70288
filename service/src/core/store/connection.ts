import type { SqlValue } from './statement.ts';

export type QueryResult = { rows: unknown[]; changes: number };

/**
 * A connection to a database. Callers may send a statement before the previous one is answered: statements run in
 * the order sent. A failure of the store is thrown as `StoreUnavailableError`, any other as the driver's own error.
 */
export type Connection = {
  execute(sql: string, values: SqlValue[]): Promise<QueryResult>;
  inTransaction(): boolean;
  /**
   * Whether the database itself refuses to commit a transaction after a failed statement. If so, the commit can be
   * sent before the statements are answered.
   */
  commitsOnlyWhole: boolean;
  close(): Promise<void>;
};
