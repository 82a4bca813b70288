import type { Config } from '../core/config/config.ts';
import { lookAtPostgres } from '../core/store/postgres/look-at-postgres.ts';
import { findAllLiving } from '../core/store/postgres/process-table.ts';
import { postgresLimits } from '../core/store/postgres/postgres-limits.ts';
import { findLivingIn } from '../core/store/sqlite/process-files.ts';
import type { ProcessRole } from '../core/store/process-registry.ts';

/** The processes that work on the database of the settings now, seen from outside. Only reads. */
export async function readLivingRoles({
  dataDir,
  databaseUrl,
}: Pick<Config, 'dataDir' | 'databaseUrl'>): Promise<{ role: ProcessRole }[]> {
  if (databaseUrl === undefined) return findLivingIn(dataDir);
  const { silentProcessMs } = postgresLimits();
  return (await lookAtPostgres(databaseUrl, (reader) => findAllLiving(reader, silentProcessMs))) ?? [];
}
