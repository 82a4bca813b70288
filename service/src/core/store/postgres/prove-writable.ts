import { sqlState } from './postgres-fault.ts';
import { StoreUnavailableError } from '../store-unavailable-error.ts';
import { limitWaiting, type PostgresConnection } from './postgres-connection.ts';
import type { PostgresLimits } from './postgres-limits.ts';

/**
 * Proves that a database takes what requests write, without touching a row of theirs. One transaction:
 *
 * - gets a number, which only a server that takes writes gives out;
 * - locks the tables of a request as an insert would, so that a table locked by another session is found;
 * - fills pages of a temporary table, which needs room on the disk of the database. The commit empties it.
 *
 * A single updated row would prove less: it reuses the space of its old version, on a full disk too.
 */
export function createWriteProof(
  limits: WriteProofLimits,
): (connection: PostgresConnection) => Promise<void> {
  const tables = new WeakMap<PostgresConnection, SpaceTable>();
  return async (connection) => {
    const known = tables.get(connection);
    const isFresh = known !== undefined && performance.now() < known.until;
    const table = isFresh
      ? known
      : { mayFill: await makeTable(connection), until: performance.now() + tableLivesMs };
    tables.set(connection, table);
    await proveWritable(connection, { ...limits, ...table });
  };
}

type WriteProofLimits = Pick<PostgresLimits, 'requestLockMs' | 'requestMs'>;

/** The temporary table of a session; a role without the right to create one fills no pages. */
type SpaceTable = { mayFill: boolean; until: number };

/** The server never freezes a temporary table, so it is made anew now and then. */
const tableLivesMs = 3_600_000;

async function proveWritable(
  connection: PostgresConnection,
  { mayFill, requestLockMs: lockMs, requestMs: statementMs }: WriteProofLimits & SpaceTable,
): Promise<void> {
  const sent = [
    connection.execute('begin read write', []),
    limitWaiting(connection, { lockMs, statementMs }, 'transaction'),
    connection.execute('select pg_current_xact_id()::text', []),
    connection.execute(`lock table ${writtenTables.join(', ')} in row exclusive mode`, []),
    ...(mayFill ? [connection.execute(fillPages, [])] : []),
    connection.execute('commit', []),
  ];
  const answers = await Promise.allSettled(sent);
  const failed = answers.find((answer) => answer.status === 'rejected');
  if (failed === undefined) return;
  throw isBusy(failed.reason) ? await nameLock(connection, failed.reason) : failed.reason;
}

/** The tables without which no request can be served. */
const writtenTables = ['account', 'api_key', 'entry', 'hold', 'idempotency', 'task'];

/** 256 rows, four to a page of 8 kB: half a megabyte. */
const fillPages = `insert into pg_temp.mailproof_space select repeat('x', 1900) from generate_series(1, 256)`;

/** Makes the session's temporary table. Returns `false` if the role may not create one. */
async function makeTable(connection: PostgresConnection): Promise<boolean> {
  const sent = [
    'begin read write',
    `set local temp_tablespaces = ''`,
    'drop table if exists pg_temp.mailproof_space',
    'create temporary table mailproof_space (filling text) on commit delete rows',
    'commit',
  ].map((sql) => connection.execute(sql, []));
  const answers = await Promise.allSettled(sent);
  const failed = answers.find((answer) => answer.status === 'rejected');
  if (failed === undefined) return true;
  if (sqlState(failed.reason) === insufficientPrivilege) return false;
  throw failed.reason;
}

const insufficientPrivilege = '42501';

function isBusy(error: unknown): boolean {
  return error instanceof StoreUnavailableError && error.fault === 'busy';
}

/** Every mode that keeps others from writing. */
const blockingModes = `'ShareLock', 'ShareRowExclusiveLock', 'ExclusiveLock', 'AccessExclusiveLock'`;
const names = writtenTables.map((table) => `'${table}'`).join(', ');
const findLock = `select relation::regclass::text as name, pid from pg_locks
  where granted and locktype = 'relation' and pid <> pg_backend_pid() and mode in (${blockingModes})
    and database = (select oid from pg_database where datname = current_database())
    and relation in (select oid from pg_class where relname in (${names})
      and relnamespace = (select relnamespace from pg_class where oid = 'schema_version'::regclass))
  order by name limit 1`;

/** Says which table is locked and by which session of the server, if it still is. */
async function nameLock(connection: PostgresConnection, error: unknown): Promise<StoreUnavailableError> {
  const { rows } = await connection.execute(findLock, []);
  const found = rows[0] as { name: string; pid: number } | undefined;
  const detail =
    found === undefined
      ? undefined
      : `the table ${found.name} is locked by session ${found.pid} of the server`;
  return new StoreUnavailableError('busy', error, detail);
}
