import { readRestingRoutes, StoreOpenError, type RestingRoute } from '@mailproof/service';
import type { DoctorParts, Finding } from './check.ts';
import { lookAtStore } from './look-at-store.ts';

const check = 'routes';

/** Egress routes that are paused because providers block them, as the service last noted. Only reads; creates no store. */
export async function checkRoutes({ config }: Pick<DoctorParts, 'config'>): Promise<Finding[]> {
  try {
    const resting = await lookAtStore(config, (store) => readRestingRoutes({ store, wallClock: Date }));
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

function describe({ until, groups }: RestingRoute): string {
  return until > 0
    ? `is paused until ${new Date(until).toISOString()} because several providers block it`
    : `is blocked by ${groups.join(', ')}`;
}
