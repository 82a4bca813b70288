import { existsSync } from 'node:fs';
import { systemClock } from '@mailproof/engine';
import {
  createWallClock,
  openStore,
  readRestingRoutes,
  storeFile,
  type RestingRoute,
} from '@mailproof/service';
import type { DoctorParts, Finding } from './check.ts';

/** Ways out that rest because providers block them, as the service last noted. Looks only; makes no store. */
export async function checkRoutes({ config }: DoctorParts): Promise<Finding[]> {
  const check = 'routes';
  if (config.databaseUrl !== undefined) {
    return [{ check, state: 'not_checked', seen: 'the service notes them in PostgreSQL' }];
  }
  if (!existsSync(storeFile(config.dataDir))) {
    return [{ check, state: 'not_checked', seen: 'no service has run on this data directory yet' }];
  }
  const resting = await restingRoutes(config.dataDir);
  if (resting.length === 0) return [{ check, state: 'ok', seen: 'none is resting' }];
  return resting.map((route) => ({
    check,
    state: 'warning',
    seen: `${route.route} ${describe(route)}`,
    remedy:
      'Ask the providers for delisting and check the reputation of the address; do not change the address to go on.',
  }));
}

async function restingRoutes(dataDir: string): Promise<RestingRoute[]> {
  const store = await openStore({ dataDir, check: false });
  try {
    return await readRestingRoutes({
      store,
      wallClock: createWallClock({ monotonic: systemClock, wall: Date }),
    });
  } finally {
    await store.close();
  }
}

function describe({ until, groups }: RestingRoute): string {
  return until > 0
    ? `rests until ${new Date(until).toISOString()}, because several providers block it`
    : `is blocked by ${groups.join(', ')}`;
}
