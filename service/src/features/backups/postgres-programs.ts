import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import pg from 'pg';
import { maskPassword } from '../../core/config/setting.ts';

/** PostgreSQL's own programs, which know best how its databases are written down. */
type PostgresProgram = 'pg_dump' | 'pg_restore';

type ProgramAnswer = { kind: 'done'; output: string } | { kind: 'failed'; line: string };

/** Runs one of them; where it fails, its last line says why. */
export async function runProgram(
  program: PostgresProgram,
  args: string[],
  databaseUrl?: string,
): Promise<ProgramAnswer> {
  const target = databaseUrl === undefined ? undefined : withoutPassword(databaseUrl);
  const env = { PATH: defaultPath, ...target?.env };
  const toDatabase = target === undefined ? [] : [`--dbname=${target.url}`];
  try {
    const { stdout } = await promisify(execFile)(program, [...args, ...toDatabase], {
      env,
      maxBuffer: mostOutput,
    });
    return { kind: 'done', output: stdout };
  } catch (error) {
    return { kind: 'failed', line: lineFor(program, error) };
  }
}

const defaultPath = '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin';
const mostOutput = 16 * 1_024 * 1_024;

/** Whoever lists the processes of the machine sees their arguments, so the password goes another way. */
function withoutPassword(databaseUrl: string): { url: string; env: Record<string, string> } {
  const url = new URL(databaseUrl);
  const password = decodeURIComponent(url.password);
  url.password = '';
  return { url: url.href, env: password === '' ? {} : { PGPASSWORD: password } };
}

function lineFor(program: PostgresProgram, error: unknown): string {
  if (error instanceof Error && 'code' in error && error.code === 'ENOENT')
    return `${program} was not found: install the PostgreSQL client of the server's version or later`;
  const said = error instanceof Error && 'stderr' in error ? String(error.stderr) : '';
  return said.trim().split('\n').at(-1) ?? `${program} failed`;
}

/** One look at a database past the store, which would bring it to the schema of this version. */
export async function queryPostgres(databaseUrl: string, sql: string): Promise<Record<string, unknown>[]> {
  const client = new pg.Client({ connectionString: databaseUrl, connectionTimeoutMillis: 10_000 });
  try {
    await client.connect();
    return (await client.query<Record<string, unknown>>(sql)).rows;
  } catch (error) {
    throw new Error(`the database ${maskPassword(databaseUrl)} cannot be read`, { cause: error });
  } finally {
    await client.end().catch(() => undefined);
  }
}
