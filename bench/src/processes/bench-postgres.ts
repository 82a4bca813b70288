/** A PostgreSQL for a benchmark: durable as in production, with its statements counted, and a database for each run. */
import { openPostgresConnection } from '../../../service/src/core/store/postgres/postgres-connection.ts';
import { postgresLimits } from '../../../service/src/core/store/postgres/postgres-limits.ts';
import { startPrivatePostgres } from '@mailproof/world/database';
import { familyCpuTimeMs, parentOf } from './family-cpu-time.ts';

export type BenchPostgres = {
  version: string;
  createDatabase(name: string): Promise<BenchDatabase>;
  /** CPU time of the whole server so far. */
  cpuMs(): number;
  stop(): Promise<void>;
};

export type BenchDatabase = {
  url: string;
  /** Past the service. Statements of the benchmark itself carry a mark and are not counted. */
  ask(sql: string): Promise<Record<string, unknown>[]>;
  close(): Promise<void>;
};

/** Stands in what the benchmark itself asks. */
export const ownMark = '/* bench */';

export async function startBenchPostgres(): Promise<BenchPostgres> {
  const server = await startPrivatePostgres({
    durable: true,
    settings: {
      shared_preload_libraries: 'pg_stat_statements',
      shared_buffers: '256MB',
      max_wal_size: '4GB',
    },
  });
  const main = await open(server.url);
  const [about] = await main.ask(
    `select pg_backend_pid() as pid, current_setting('server_version') as version`,
  );
  const postmaster = parentOf(Number(about?.['pid'])) ?? 0;
  return {
    version: String(about?.['version']).split(' ')[0] ?? '',
    createDatabase: async (name) => {
      await main.ask(`create database ${name} template template0`);
      const url = new URL(server.url);
      url.pathname = `/${name}`;
      const database = await open(url.href);
      await database.ask('create extension pg_stat_statements');
      return database;
    },
    cpuMs: () => familyCpuTimeMs(postmaster),
    stop: async () => {
      await main.close();
      await server.stop();
    },
  };
}

async function open(url: string): Promise<BenchDatabase> {
  const connection = await openPostgresConnection({ url, limits: postgresLimits({ statementMs: 120_000 }) });
  // A connection of the service is read-only outside a transaction that says otherwise.
  await connection.execute('set default_transaction_read_only = off', []);
  return {
    url,
    ask: async (sql) => {
      const { rows } = await connection.execute(`${ownMark} ${sql}`, []);
      return rows as Record<string, unknown>[];
    },
    close: () => connection.close(),
  };
}
