import pg from 'pg';
import type { World } from '@mailproof/world';
import type { Home } from '../endurance/launch.ts';
import { openHouse } from '../endurance/open-house.ts';
import { runCommand } from '../endurance/run-command.ts';
import { startPrivatePostgres, type PrivatePostgres } from '../../support/postgres/private-postgres.ts';
import { createMember, type Member } from './member.ts';

/** An installation of several processes on a PostgreSQL and in a town of its own, thrown away afterwards. */
export type Fleet = {
  home: Home;
  world: World;
  postgres: PrivatePostgres;
  apis: Member[];
  workers: Member[];
  /** Asks the database past the service. */
  query: (sql: string, values?: unknown[]) => Promise<Record<string, unknown>[]>;
  /** What ended without being told to. */
  crashes: string[];
  close: () => Promise<void>;
};

type FleetOptions = {
  apis: number;
  workers: number;
  settings?: Record<string, string>;
  maxConnections?: number;
  /** The server to work on, which ends with the fleet; by default one is started. */
  postgres?: PrivatePostgres;
};

/** The database has its tables; the processes are not started. */
export async function openFleet({
  apis,
  workers,
  settings = {},
  maxConnections = 200,
  postgres: given,
}: FleetOptions): Promise<Fleet> {
  const postgres = given ?? (await startPrivatePostgres({ maxConnections }));
  const house = await openHouse({ MAILPROOF_DATABASE_URL: postgres.url, ...settings });
  const crashes: string[] = [];
  const onCrash = (what: string) => void crashes.push(what);
  const recruit = (role: Member['role'], count: number) =>
    Array.from({ length: count }, (_, n) => {
      const name = `${role}-${n + 1}`;
      return createMember({ name, role, home: knownAs(house.home, name), onCrash });
    });
  const fleet = { apis: recruit('api', apis), workers: recruit('worker', workers) };
  const close = async () => {
    await Promise.all([...fleet.apis, ...fleet.workers].map((member) => member.kill()));
    await house.close();
    await postgres.stop();
  };
  try {
    // Any command brings the database to its schema.
    await runCommand(['audit'], house.home);
  } catch (error) {
    await close();
    throw error;
  }
  const query: Fleet['query'] = (sql, values) => ask(postgres.url, sql, values);
  return { ...fleet, home: house.home, world: house.world, postgres, query, crashes, close };
}

/** The database knows each process by its name. */
function knownAs(home: Home, name: string): Home {
  const url = new URL(home.environment['MAILPROOF_DATABASE_URL'] ?? '');
  url.searchParams.set('application_name', name);
  return { ...home, environment: { ...home.environment, MAILPROOF_DATABASE_URL: url.href } };
}

async function ask(url: string, sql: string, values: unknown[] = []): Promise<Record<string, unknown>[]> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    return (await client.query<Record<string, unknown>>(sql, values)).rows;
  } finally {
    await client.end();
  }
}
