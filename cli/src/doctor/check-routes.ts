import { existsSync } from 'node:fs';
import {
  lookAtPostgres,
  openStore,
  readRestingRoutes,
  storeFile,
  StoreOpenError,
  type RestingRoute,
} from '@mailproof/service';
import type { DoctorParts, Finding } from './check.ts';

const check = 'routes';

/** Egress routes that are paused because providers block them, as the service last noted. Only reads; creates no store. */
export async function checkRoutes({ config }: Pick<DoctorParts, 'config'>): Promise<Finding[]> {
  try {
    const resting =
      config.databaseUrl === undefined
        ? await restingInFile(config.dataDir)
        : await lookAtPostgres(config.databaseUrl, (read) =>
            readRestingRoutes({ store: { read }, wallClock: Date }),
          );
    return resting === undefined
      ? [{ check, state: 'not_checked', seen: `no service has run on this ${placeOf(config)} yet` }]
      : findingsOf(resting);
  } catch (error) {
    if (error instanceof StoreOpenError) return [{ check, state: 'not_checked', seen: error.line }];
    throw error;
  }
}

function findingsOf(resting: RestingRoute[]): Finding[] {
  if (resting.length === 0) return [{ check, state: 'ok', seen: 'none is paused' }];
  return resting.map((route) => ({
    check,
    state: 'warning',
    seen: `${route.route} ${describe(route)}`,
    remedy:
      'Ask the providers to delist the IP address, and check its reputation. Do not switch to another address to get around the block.',
  }));
}

function placeOf({ databaseUrl }: DoctorParts['config']): string {
  return databaseUrl === undefined ? 'data directory' : 'database';
}

async function restingInFile(dataDir: string): Promise<RestingRoute[] | undefined> {
  if (!existsSync(storeFile(dataDir))) return undefined;
  const store = await openStore({ dataDir, check: false });
  try {
    return await readRestingRoutes({ store, wallClock: Date });
  } finally {
    await store.close();
  }
}

function describe({ until, groups }: RestingRoute): string {
  return until > 0
    ? `is paused until ${new Date(until).toISOString()} because several providers block it`
    : `is blocked by ${groups.join(', ')}`;
}
