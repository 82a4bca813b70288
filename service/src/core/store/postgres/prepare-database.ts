import type { SchemaWords } from '../dialect.ts';
import { migrate, olderSchema, type SchemaRight } from '../migrations/migrate.ts';
import { StoreOpenError } from '../store-open-error.ts';
import { StoreUnavailableError } from '../store-unavailable-error.ts';
import { databaseName, explainSharedSessions } from './explain-open-failure.ts';
import type { PostgresConnection } from './postgres-connection.ts';

const oldestServer = 150_000;

type PrepareParts = {
  open: () => Promise<PostgresConnection>;
  words: SchemaWords;
  url: string;
  right: SchemaRight | undefined;
};

/** Makes sure that a server can be worked with, and brings its database to the schema of this version. */
export async function prepareDatabase({ open, words, url, right }: PrepareParts): Promise<void> {
  const connection = await open();
  try {
    if (!(await hasOwnSession(connection, open))) throw new StoreOpenError(explainSharedSessions(url));
    await refuseUnfitServer(connection);
    const migrated = await migrate(connection, words, { right: right ?? 'migrate' });
    if (migrated.kind === 'up_to_date') return;
    if (migrated.kind === 'older')
      throw new StoreOpenError(olderSchema(`the database ${databaseName(url)}`, migrated));
    throw new StoreOpenError(
      `the database ${databaseName(url)} was written by a newer version of Mailproof (schema ${migrated.version}, this one knows ${migrated.known}): run that version`,
    );
  } finally {
    await connection.close();
  }
}

async function refuseUnfitServer(connection: PostgresConnection): Promise<void> {
  const { rows } = await connection.execute(
    `select current_setting('server_version_num')::int as version, current_setting('server_encoding') as encoding`,
    [],
  );
  const { version, encoding } = rows[0] as { version: number; encoding: string };
  if (version < oldestServer) {
    const found = Math.floor(version / 10_000);
    throw new StoreOpenError(
      `the database server is PostgreSQL ${found}, and Mailproof needs 15 or later: upgrade it, or set MAILPROOF_DATABASE_URL to another`,
    );
  }
  if (encoding !== 'UTF8') {
    throw new StoreOpenError(
      `the database has the encoding ${encoding}, and Mailproof needs UTF8: create it with encoding 'UTF8'`,
    );
  }
}

/**
 * Whether a connection has a session to itself. Behind a pooler that gives each transaction whichever session is free
 * it has not, and nothing that belongs to a session holds: prepared statements, limits, notices, the lock that tells
 * that a process lives. Two connections show it, one with a transaction open: they meet the same server process, or
 * one connection meets two.
 */
async function hasOwnSession(
  connection: PostgresConnection,
  open: () => Promise<PostgresConnection>,
): Promise<boolean> {
  const before = await processOf(connection);
  const other = await open().catch(unlessUnavailable);
  // No second connection is left: whoever pools transactions would have had one.
  if (other === undefined) return true;
  try {
    await other.execute('begin', []);
    const others = await processOf(other);
    const after = await processOf(connection);
    await other.execute('rollback', []);
    return before !== others && before === after;
  } finally {
    await other.close();
  }
}

async function processOf(connection: PostgresConnection): Promise<unknown> {
  const { rows } = await connection.execute('select pg_backend_pid() as pid', []);
  return (rows[0] as { pid: number }).pid;
}

function unlessUnavailable(error: unknown): undefined {
  if (!(error instanceof StoreUnavailableError)) throw error;
}
