import { StoreUnavailableError } from '../store-unavailable-error.ts';
import { sqlState } from './postgres-fault.ts';

/** What keeps a database from being opened, in one line for the operator: what is wrong, and what to do. Never the password. */
export function explainOpenFailure(error: unknown, url: string): string {
  const cause = error instanceof StoreUnavailableError ? error.cause : error;
  const state = sqlState(cause);
  const known = state === undefined ? undefined : remedies.get(state);
  const name = databaseName(url);
  if (known !== undefined) return `the database ${name} ${known}`;
  const said = state === undefined ? reasonOf(cause) : `${state}, ${reasonOf(cause)}`;
  if (state !== undefined && !(error instanceof StoreUnavailableError)) {
    return `the database ${name} could not be brought to the schema of this version (${withoutPassword(said, url)})`;
  }
  return `the database ${name} cannot be reached (${withoutPassword(said, url)}): start it, or set MAILPROOF_DATABASE_URL to another`;
}

const remedies = new Map([
  ['28P01', 'refuses the password: correct it in MAILPROOF_DATABASE_URL'],
  ['28000', 'refuses this user: allow it in pg_hba.conf, or name another in MAILPROOF_DATABASE_URL'],
  ['3D000', 'does not exist: create it (createdb), or name another in MAILPROOF_DATABASE_URL'],
  [
    '42501',
    'does not let this user make its tables: grant create on its schema, or run `mailproof migrate` as one who may',
  ],
  ['53300', 'has no connection left: raise max_connections, or run fewer processes'],
  ['55P03', 'is being migrated, or in use by something that locks its tables: try again in a moment'],
  ['25006', 'takes no writes: name its primary server in MAILPROOF_DATABASE_URL'],
]);

export function explainSharedSessions(url: string): string {
  return `the database ${databaseName(url)} is behind a pooler that shares sessions (transaction pooling): let it pool sessions, or name the server itself in MAILPROOF_DATABASE_URL`;
}

/** `host:port/database`. */
export function databaseName(url: string): string {
  const { hostname, port, pathname } = new URL(url);
  return `${hostname}:${port || '5432'}${decodeURIComponent(pathname)}`;
}

function reasonOf(error: unknown): string {
  if (error instanceof AggregateError && error.errors.length > 0) return reasonOf(error.errors[0]);
  return error instanceof Error ? (error.message.split('\n')[0] ?? '') : 'no answer in time';
}

/** Servers do not repeat passwords; this is in case one does. */
function withoutPassword(text: string, url: string): string {
  const { password } = new URL(url);
  return password === ''
    ? text
    : text.replaceAll(decodeURIComponent(password), '***').replaceAll(password, '***');
}
