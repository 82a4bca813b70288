import { existsSync } from 'node:fs';
import { lookAtPostgres, openStore, storeFile, type Store } from '@mailproof/service';
import type { DoctorParts } from './check.ts';

/** Reads what the service last noted; nothing where no service has run yet. Only reads; creates no store. */
export async function lookAtStore<Found>(
  { dataDir, databaseUrl }: Pick<DoctorParts['config'], 'dataDir' | 'databaseUrl'>,
  read: (store: Pick<Store, 'read'>) => Promise<Found>,
): Promise<Found | undefined> {
  if (databaseUrl !== undefined) return lookAtPostgres(databaseUrl, (reading) => read({ read: reading }));
  if (!existsSync(storeFile(dataDir))) return undefined;
  const store = await openStore({ dataDir, check: false });
  try {
    return await read(store);
  } finally {
    await store.close();
  }
}
