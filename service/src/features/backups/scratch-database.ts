import { randomBytes } from 'node:crypto';
import pg from 'pg';

type ScratchAnswer<T> =
  | { kind: 'done'; value: T }
  /** The server cannot be reached, or its user may not create databases: in its own words. */
  | { kind: 'refused'; line: string };

/**
 * A new database on the server that the URL leads to, for as long as the work takes. The database of the URL itself is
 * only connected to. What a killed process leaves behind is called `mailproof_verify_…`.
 */
export async function withScratchDatabase<T>(
  databaseUrl: string,
  work: (scratchUrl: string) => Promise<T>,
): Promise<ScratchAnswer<T>> {
  const name = `mailproof_verify_${randomBytes(6).toString('hex')}`;
  const client = new pg.Client({ connectionString: databaseUrl, connectionTimeoutMillis: 10_000 });
  // The connection is idle during the work; one that breaks meanwhile fails the next query, which says so.
  client.on('error', () => undefined);
  try {
    await client.connect();
    await client.query(`create database ${name} template template0`);
  } catch (error) {
    await client.end().catch(() => undefined);
    return { kind: 'refused', line: error instanceof Error ? error.message : String(error) };
  }
  try {
    const url = new URL(databaseUrl);
    url.pathname = `/${name}`;
    return { kind: 'done', value: await work(url.href) };
  } finally {
    await client.query(`drop database ${name} with (force)`);
    await client.end();
  }
}
