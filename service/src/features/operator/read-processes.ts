import type { ProcessRegistry, ProcessRole } from '../../core/store/process-registry.ts';
import { statement } from '../../core/store/statement.ts';
import type { Store } from '../../core/store/store.ts';
import type { WallClock } from '../../core/store/wall-clock.ts';

/**
 * The live processes of this store. On PostgreSQL each keeps a row with its times; on SQLite each holds
 * a locked file, which shows that it is alive, but not since when.
 */
export type RunningProcess = {
  id: string;
  role: ProcessRole;
  startedAt: number | undefined;
  seenAt: number;
};

const mostShown = 1_000;

const findTimes = statement((db) =>
  db
    .selectFrom('process')
    .select(['id', 'started_at', 'seen_at'])
    .orderBy('started_at', 'desc')
    .orderBy('id')
    .limit(mostShown),
);

export type ReadProcessesParts = {
  store: Pick<Store, 'read'>;
  wallClock: WallClock;
  registry: Pick<ProcessRegistry, 'ownId' | 'findLiving'>;
  /** When this process started. */
  startedAt: number;
};

export async function readProcesses(parts: ReadProcessesParts): Promise<RunningProcess[]> {
  const living = await parts.registry.findLiving();
  const rows = await parts.store.read.all(findTimes, {});
  const times = new Map(rows.map((row) => [row.id, row]));
  const now = parts.wallClock.now();
  return living.slice(0, mostShown).map(({ id, role }) => ({
    id,
    role,
    startedAt: times.get(id)?.started_at ?? (id === parts.registry.ownId ? parts.startedAt : undefined),
    seenAt: times.get(id)?.seen_at ?? now,
  }));
}
