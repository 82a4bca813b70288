import { StoreUnavailableError, type StoreFault } from '../store-unavailable-error.ts';

/**
 * Tells the database's trouble from our defects. What a server says carries an SQLSTATE
 * (postgresql.org/docs/current/errcodes-appendix.html); what the connection says (refused, reset, timed out, closed)
 * carries none, and means that the database cannot be reached.
 */
const faults = new Map<string, StoreFault>([
  ['25006', 'not_writable'], // read_only_sql_transaction: a standby, or a disk that was set to read only
  ['25P03', 'unreachable'], // idle_in_transaction_session_timeout
  ['3D000', 'unreachable'], // invalid_catalog_name: the database is not there (any more)
  ['40001', 'conflict'], // serialization_failure
  ['40P01', 'conflict'], // deadlock_detected
  ['53100', 'full'], // disk_full
  ['53300', 'overloaded'], // too_many_connections
  ['55P03', 'busy'], // lock_not_available
  ['57014', 'slow'], // query_canceled, by statement_timeout or by hand
  ['XX001', 'corrupt'], // data_corrupted
  ['XX002', 'corrupt'], // index_corrupted
]);

/** Connection exceptions, invalid authorization, insufficient resources, operator intervention, system errors. */
const classes = new Map<string, StoreFault>([
  ['08', 'unreachable'],
  ['28', 'unreachable'],
  ['53', 'failing'],
  ['57', 'unreachable'],
  ['58', 'failing'],
]);

export function asStoreError(error: unknown): Error {
  if (error instanceof StoreUnavailableError) return error;
  // Ours: a number of the database that is none of ours.
  if (error instanceof RangeError) return error;
  const state = sqlState(error);
  if (state === undefined) return new StoreUnavailableError('unreachable', error);
  const fault = faults.get(state) ?? classes.get(state.slice(0, 2));
  if (fault !== undefined) return new StoreUnavailableError(fault, error);
  return error instanceof Error ? error : new Error('PostgreSQL threw what is no error', { cause: error });
}

/** Five letters and digits. No class begins with E, as the codes of the operating system do (`EPIPE` has five too). */
export function sqlState(error: unknown): string | undefined {
  if (typeof error !== 'object' || error === null || !('code' in error)) return undefined;
  return typeof error.code === 'string' && /^(?!E)[0-9A-Z]{5}$/.test(error.code) ? error.code : undefined;
}

/** The transaction had failed before: this statement only hears of it. */
export function isAftermath(error: unknown): boolean {
  const state = sqlState(error);
  return state === '25P02' || state === '26000';
}
