import { startPrivatePostgres, type PrivatePostgres } from '@mailproof/world/database';
import type { Settings } from '../../support/mailproof.ts';
import type { Fixture } from '../../support/open-fixture.ts';
import { openLoadFixture } from '../endurance/load-world.ts';
import { createServiceProcess, type ServiceProcess } from './service-process.ts';

/** Several processes on their own PostgreSQL, in one world, deleted afterwards. */
export type Installation = Fixture & {
  postgres: PrivatePostgres;
  apis: ServiceProcess[];
  workers: ServiceProcess[];
  /** Without probers, APIs and workers ask mail hosts themselves. */
  probers: ServiceProcess[];
  /** Processes that ended by themselves. */
  crashes: string[];
};

type InstallationOptions = {
  apis: number;
  workers: number;
  probers?: number;
  settings?: Settings;
  maxConnections?: number;
  /** The server to use, which ends with the installation; by default one is started. */
  postgres?: PrivatePostgres;
};

/** Opens an installation. The database has its tables; the processes are not started. */
export async function openInstallation({
  apis,
  workers,
  probers = 0,
  settings = {},
  maxConnections = 200,
  postgres: given,
}: InstallationOptions): Promise<Installation> {
  const postgres = given ?? (await startPrivatePostgres({ maxConnections }));
  const fixture = await openLoadFixture({
    settings: { MAILPROOF_DATABASE_URL: postgres.url, ...settings },
  });
  const crashes: string[] = [];
  const onCrash = (what: string) => void crashes.push(what);
  const recruit = (role: ServiceProcess['role'], count: number) =>
    Array.from({ length: count }, (_, n) => {
      const name = `${role}-${n + 1}`;
      return createServiceProcess({ name, role, env: knownAs(fixture.env, name), onCrash });
    });
  const processes = {
    apis: recruit('api', apis),
    workers: recruit('worker', workers),
    probers: recruit('prober', probers),
  };
  const close = async () => {
    await Promise.all(allOf(processes).map((one) => one.kill()));
    await fixture.close();
    await postgres.stop();
  };
  try {
    // Any command migrates the database to its schema.
    await fixture.command('audit');
  } catch (error) {
    await close();
    throw error;
  }
  return { ...fixture, ...processes, postgres, crashes, close };
}

/** Returns all processes, probers first, because the others hand probes to them. */
export function allOf({
  apis,
  workers,
  probers,
}: Pick<Installation, 'apis' | 'workers' | 'probers'>): ServiceProcess[] {
  return [...probers, ...apis, ...workers];
}

/** Names each process for the database. */
function knownAs(env: Settings, name: string): Settings {
  const url = new URL(env['MAILPROOF_DATABASE_URL'] ?? '');
  url.searchParams.set('application_name', name);
  return { ...env, MAILPROOF_DATABASE_URL: url.href };
}
