import type { Config } from '../config.ts';
import { lookAtPostgres } from '../db/postgres/look-at-postgres.ts';
import { findAllLiving } from '../db/postgres/process-table.ts';
import { postgresLimits } from '../db/postgres/postgres-limits.ts';
import { findLivingIn } from '../db/sqlite/process-files.ts';
import type { ProcessRole } from '../db/process-registry.ts';

/** The processes that work on the database of the settings now, seen from outside. Only reads. */
export async function readLivingRoles({
  dataDir,
  databaseUrl,
}: Pick<Config, 'dataDir' | 'databaseUrl'>): Promise<{ role: ProcessRole }[]> {
  if (databaseUrl === undefined) return findLivingIn(dataDir);
  const { silentProcessMs } = postgresLimits();
  return (await lookAtPostgres(databaseUrl, (reader) => findAllLiving(reader, silentProcessMs))) ?? [];
}
