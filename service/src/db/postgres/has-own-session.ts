import { StoreUnavailableError } from '../store-unavailable-error.ts';
import type { PostgresLine } from './postgres-line.ts';

/**
 * Whether a line has a session to itself. Behind a pooler that gives each transaction whichever session is free it has not, and
 * nothing that belongs to a session holds: prepared statements, limits, notices, the lock that tells that a process lives.
 * Two lines show it, one with a transaction open: they meet the same server process, or one line meets two.
 */
export async function hasOwnSession(line: PostgresLine, open: () => Promise<PostgresLine>): Promise<boolean> {
  const before = await processOf(line);
  const other = await open().catch(unlessUnavailable);
  // No second connection is left: whoever pools transactions would have had one.
  if (other === undefined) return true;
  try {
    await other.execute('begin', []);
    const others = await processOf(other);
    const after = await processOf(line);
    await other.execute('rollback', []);
    return before !== others && before === after;
  } finally {
    await other.close();
  }
}

async function processOf(line: PostgresLine): Promise<unknown> {
  const { rows } = await line.execute('select pg_backend_pid() as pid', []);
  return (rows[0] as { pid: number }).pid;
}

function unlessUnavailable(error: unknown): undefined {
  if (!(error instanceof StoreUnavailableError)) throw error;
}
