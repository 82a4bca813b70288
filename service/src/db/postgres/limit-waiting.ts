import type { QueryResult } from '../connection.ts';
import type { PostgresLine } from './postgres-line.ts';

/** How long the server waits for a lock and works on a statement before it breaks off by itself. */
type Waiting = { lockMs: number; statementMs: number };

/** For the transaction that is open, or for as long as the line is. */
export function limitWaiting(
  line: PostgresLine,
  { lockMs, statementMs }: Waiting,
  scope: 'transaction' | 'line',
): Promise<QueryResult> {
  const local = scope === 'transaction';
  return line.execute(
    `select set_config('lock_timeout', $1, ${local}), set_config('statement_timeout', $2, ${local})`,
    [String(lockMs), String(statementMs)],
  );
}
