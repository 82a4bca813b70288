import { randomBytes } from 'node:crypto';
import { Socket } from 'node:net';
import pg from 'pg';
import type { QueryResult } from '../connection.ts';
import type { PooledConnection } from '../pool/pooled-connection.ts';
import { withTimeout } from '../pool/with-timeout.ts';
import type { SqlValue } from '../statement.ts';
import { StoreUnavailableError } from '../store-unavailable-error.ts';
import { asStoreError, isAftermath } from './postgres-fault.ts';
import type { PostgresLimits } from './postgres-limits.ts';

/**
 * A connection to PostgreSQL. Statements are sent at once, without waiting for earlier answers (pipelining). Each
 * is prepared once, under its own name.
 *
 * Every session begins read-only: writes work only inside `begin read write`. So a transaction can be opened
 * without waiting for the answer. If the opening fails, the statements after it are refused instead of committed
 * one by one.
 */
export type PostgresConnection = PooledConnection & {
  onNotice(callback: (channel: string) => void): void;
};

export type PostgresConnectionOptions = { url: string; limits: PostgresLimits };

export async function openPostgresConnection({
  url,
  limits,
}: PostgresConnectionOptions): Promise<PostgresConnection> {
  const client = new pg.Client({
    connectionString: url,
    pipeline: true,
    connectionTimeoutMillis: limits.connectMs,
    keepAlive: true,
    keepAliveInitialDelayMillis: 10_000,
    fallback_application_name: 'mailproof',
    types: wholeNumberTypes(),
  });
  // Errors reach the statements that wait; any other error ends the connection, and `end` reports that.
  client.on('error', () => undefined);
  try {
    await client.connect();
    await withTimeout(client.query(sessionSettings(limits)), limits.connectMs);
  } catch (error) {
    cut(client);
    throw asStoreError(error);
  }
  return overClient(client);
}

/** Returns the session's settings as SQL. They are not start-up parameters, because poolers refuse those. */
function sessionSettings(limits: PostgresLimits): string {
  const settings = {
    statement_timeout: limits.statementMs,
    lock_timeout: limits.lockMs,
    idle_in_transaction_session_timeout: limits.idleInTransactionMs,
    default_transaction_read_only: 'on',
    client_min_messages: 'error',
  };
  const calls = Object.entries(settings).map(([name, value]) => `set_config('${name}', '${value}', false)`);
  return `select ${calls.join(', ')}`;
}

function overClient(client: pg.Client): PostgresConnection {
  const names = new Map<string, string>();
  // Names are unique across connections: a pooler may map two connections to one session.
  const prefix = `mp_${randomBytes(6).toString('hex')}_`;
  const asked: number[] = [];
  const endings: (() => void)[] = [];
  let ended = false;
  /** The error that made the current transaction fail, if any. */
  let failure: Error | undefined;
  keepAwake(client, false);
  client.once('end', () => {
    ended = true;
    for (const callback of endings) callback();
  });

  function nameOf(sql: string): string {
    const known = names.get(sql);
    if (known !== undefined) return known;
    const name = `${prefix}${names.size}`;
    names.set(sql, name);
    return name;
  }

  /** Sends the statements of one round in one packet: separate packets would cost a system call each at both ends. */
  function sendTogether(): void {
    const { stream } = client.connection;
    if (stream.writableCorked > 0) return;
    stream.cork();
    process.nextTick(() => stream.uncork());
  }

  async function execute(sql: string, values: SqlValue[]): Promise<QueryResult> {
    sendTogether();
    if (sql.startsWith('begin') || sql.startsWith('rollback')) failure = undefined;
    // A connection keeps the process alive only while an answer is due.
    if (asked.push(performance.now()) === 1) keepAwake(client, true);
    try {
      const query =
        values.length === 0 ? { text: sql } : { name: nameOf(sql), text: sql, values: values.map(storable) };
      const result = await client.query<Record<string, unknown>>(query);
      // The server answers COMMIT of a failed transaction with ROLLBACK, and with no error.
      if (sql === 'commit' && result.command !== 'COMMIT')
        throw failure ?? new Error('the transaction failed before its commit');
      return { rows: result.rows, changes: result.rowCount ?? 0 };
    } catch (error) {
      const found =
        isAftermath(error) && failure instanceof StoreUnavailableError ? failure : asStoreError(error);
      failure ??= found;
      throw found;
    } finally {
      asked.shift();
      if (asked.length === 0) keepAwake(client, false);
    }
  }

  return {
    execute,
    inTransaction: () => !ended && client.getTransactionStatus() !== 'I',
    commitsOnlyWhole: true,
    isAlive: () => !ended,
    waitingMs: () => (asked[0] === undefined ? 0 : performance.now() - asked[0]),
    unanswered: () => asked.length,
    onEnd: (callback) => (ended ? callback() : void endings.push(callback)),
    onNotice: (callback) => void client.on('notification', ({ channel }) => callback(channel)),
    cut: () => cut(client),
    close: async () => {
      if (ended) return;
      await withTimeout(client.end(), closeMs).catch(() => cut(client));
    },
  };
}

/** How long the server waits for a lock, and runs a statement, before it gives up by itself. */
type WaitLimits = { lockMs: number; statementMs: number };

/** Returns the SQL that sets these limits for the open transaction or for the whole session. */
export function limitWaiting(
  connection: Pick<PostgresConnection, 'execute'>,
  { lockMs, statementMs }: WaitLimits,
  scope: 'transaction' | 'connection',
): Promise<QueryResult> {
  const local = scope === 'transaction';
  return connection.execute(
    `select set_config('lock_timeout', $1, ${local}), set_config('statement_timeout', $2, ${local})`,
    [String(lockMs), String(statementMs)],
  );
}

const closeMs = 1_000;

function keepAwake({ connection: { stream } }: pg.Client, awake: boolean): void {
  if (!(stream instanceof Socket)) return;
  if (awake) stream.ref();
  else stream.unref();
}

function cut(client: pg.Client): void {
  client.connection.stream.destroy();
}

/** Removes U+0000, the only character that PostgreSQL cannot store; no name or header of ours needs it. */
function storable(value: SqlValue): SqlValue {
  return typeof value === 'string' && value.includes('\0') ? value.replaceAll('\0', '\uFFFD') : value;
}

/** Parses whole numbers. They come as text, because they may exceed 2^53; no value of this schema may. */
function wholeNumberTypes(): pg.TypeOverrides {
  const types = new pg.TypeOverrides();
  types.setTypeParser(pg.types.builtins.INT8, wholeNumber);
  types.setTypeParser(pg.types.builtins.NUMERIC, wholeNumber);
  return types;
}

function wholeNumber(text: string): number {
  const value = Number(text);
  if (!Number.isSafeInteger(value))
    throw new RangeError(`the database returned ${text}, which is not a whole number up to 2^53`);
  return value;
}
