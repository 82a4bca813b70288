import { lookAtPostgres, lookAtSqlite, type Store } from '@mailproof/service';
import type { DoctorParts } from './check.ts';

/** Reads what the service last noted; nothing if no service has run yet. Changes neither rows nor schema. */
export async function lookAtStore<Found>(
  { dataDir, databaseUrl }: Pick<DoctorParts['config'], 'dataDir' | 'databaseUrl'>,
  read: (store: Pick<Store, 'read'>) => Promise<Found>,
): Promise<Found | undefined> {
  const look = (reader: Store['read']) => read({ read: reader });
  return databaseUrl === undefined ? lookAtSqlite(dataDir, look) : lookAtPostgres(databaseUrl, look);
}
