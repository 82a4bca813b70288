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
 * A connection to PostgreSQL. Statements are sent as they are asked for, without waiting for the answers to those
 * before (pipelining), and are prepared once each under a name of their own.
 *
 * Every session begins read-only: a statement that writes works only inside `begin read write`. So a transaction
 * can be opened without waiting for the answer: should the opening fail, what follows it is refused and not
 * committed one by one.
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
  // Errors reach whoever waits for an answer; the rest of them end the connection, which is noticed by its end.
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

/** Not as parameters of the start: poolers refuse those. */
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
  // A name stands for one statement wherever it is met: a pooler may lead two connections to one session.
  const prefix = `mp_${randomBytes(6).toString('hex')}_`;
  const asked: number[] = [];
  const endings: (() => void)[] = [];
  let ended = false;
  /** What made the transaction under way fail, if something did. */
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

  /** What is asked for in one go leaves in one packet: every statement of its own would cost a system call at both ends. */
  function sendTogether(): void {
    const { stream } = client.connection;
    if (stream.writableCorked > 0) return;
    stream.cork();
    process.nextTick(() => stream.uncork());
  }

  async function execute(sql: string, values: SqlValue[]): Promise<QueryResult> {
    sendTogether();
    if (sql.startsWith('begin') || sql.startsWith('rollback')) failure = undefined;
    // A connection keeps the process alive only while an answer is awaited.
    if (asked.push(performance.now()) === 1) keepAwake(client, true);
    try {
      const query =
        values.length === 0 ? { text: sql } : { name: nameOf(sql), text: sql, values: values.map(storable) };
      const result = await client.query<Record<string, unknown>>(query);
      // The answer to COMMIT of a transaction that has failed is ROLLBACK, and no error.
      if (sql === 'commit' && result.command !== 'COMMIT')
        throw failure ?? new Error('the transaction had failed before its commit');
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

/** How long the server waits for a lock and works on a statement before it breaks off by itself. */
type WaitLimits = { lockMs: number; statementMs: number };

/** For the transaction that is open, or for as long as the connection is. */
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

/** PostgreSQL keeps every character but U+0000, which no name or header of ours needs. */
function storable(value: SqlValue): SqlValue {
  return typeof value === 'string' && value.includes('\0') ? value.replaceAll('\0', '\uFFFD') : value;
}

/** Whole numbers come as text, because they may be larger than ours; none of this schema may be. */
function wholeNumberTypes(): pg.TypeOverrides {
  const types = new pg.TypeOverrides();
  types.setTypeParser(pg.types.builtins.INT8, wholeNumber);
  types.setTypeParser(pg.types.builtins.NUMERIC, wholeNumber);
  return types;
}

function wholeNumber(text: string): number {
  const value = Number(text);
  if (!Number.isSafeInteger(value))
    throw new RangeError(`the database returned ${text}, which is no whole number of ours`);
  return value;
}
