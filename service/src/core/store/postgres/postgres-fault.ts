import { StoreUnavailableError, type StoreFault } from '../store-unavailable-error.ts';

/**
 * SQLSTATEs that mean trouble with the database rather than a defect of ours
 * (postgresql.org/docs/current/errcodes-appendix.html). Errors of the connection (refused, reset, timed out,
 * closed) have no SQLSTATE, and mean that the database cannot be reached.
 */
const faults = new Map<string, StoreFault>([
  ['25006', 'not_writable'], // read_only_sql_transaction: a standby, or a read-only disk
  ['25P03', 'unreachable'], // idle_in_transaction_session_timeout
  ['3D000', 'unreachable'], // invalid_catalog_name: the database does not exist (any more)
  ['40001', 'conflict'], // serialization_failure
  ['40P01', 'conflict'], // deadlock_detected
  ['53100', 'full'], // disk_full
  ['53300', 'overloaded'], // too_many_connections
  ['55P03', 'busy'], // lock_not_available
  ['57014', 'slow'], // query_canceled, by statement_timeout or by hand
  ['XX001', 'corrupt'], // data_corrupted
  ['XX002', 'corrupt'], // index_corrupted
]);

/**
 * SQLSTATE classes: connection exceptions, invalid authorization, insufficient resources, operator intervention,
 * system errors.
 */
const classes = new Map<string, StoreFault>([
  ['08', 'unreachable'],
  ['28', 'unreachable'],
  ['53', 'failing'],
  ['57', 'unreachable'],
  ['58', 'failing'],
]);

export function asStoreError(error: unknown): Error {
  if (error instanceof StoreUnavailableError) return error;
  // Thrown by our own parser of whole numbers: a defect.
  if (error instanceof RangeError) return error;
  const state = sqlState(error);
  if (state === undefined) return new StoreUnavailableError('unreachable', error);
  const fault = faults.get(state) ?? classes.get(state.slice(0, 2));
  if (fault !== undefined) return new StoreUnavailableError(fault, error);
  return error instanceof Error
    ? error
    : new Error('PostgreSQL threw a value that is not an Error', { cause: error });
}

/**
 * Returns the SQLSTATE of an error: five letters and digits. No class begins with E, unlike the codes of the
 * operating system (`EPIPE` has five letters too).
 */
export function sqlState(error: unknown): string | undefined {
  if (typeof error !== 'object' || error === null || !('code' in error)) return undefined;
  return typeof error.code === 'string' && /^(?!E)[0-9A-Z]{5}$/.test(error.code) ? error.code : undefined;
}

/** Whether a statement failed only because its transaction had failed before. */
export function isAftermath(error: unknown): boolean {
  const state = sqlState(error);
  return state === '25P02' || state === '26000';
}
