import { randomUUID } from 'node:crypto';
import { sql } from 'kysely';
import type { ProcessRegistry, ProcessRole } from '../process-registry.ts';
import { statement, type Reader } from '../statement.ts';
import type { Store } from '../store.ts';
import type { PostgresLimits } from './postgres-limits.ts';
import type { ListenConnection } from './listen-connection.ts';

/**
 * Tells which processes on a PostgreSQL database are alive, and which have died.
 *
 * Each process has a row with its last heartbeat, written every two seconds by the database's clock. It also holds
 * an advisory lock on a permanent connection. A killed process loses its lock at once and is declared dead a few
 * seconds later. A process that hangs, or whose machine was cut off, keeps its lock until the server drops the
 * connection. It is declared dead after thirty seconds without a heartbeat. A lost lock alone proves nothing:
 * connections break. A process that has just reconnected declares no other dead: after a restart of the database
 * the others are reconnecting too.
 */
type ProcessTableParts = {
  store: Pick<Store, 'read' | 'write' | 'withRequestDeadline'>;
  listening: ListenConnection;
  limits: Pick<PostgresLimits, 'heartbeatMs' | 'missingMs' | 'silentProcessMs' | 'judgeAfterMs'>;
};

export async function registerInTable(parts: ProcessTableParts, role: ProcessRole): Promise<ProcessRegistry> {
  const { store, listening, limits } = parts;
  const id = randomUUID();
  const lock = `${processLocks}, ${lockKey(id)}`;
  // The heartbeat has its own key, so it is not delayed when other writes wait for a locked table.
  const sign = () => store.write((tx) => tx.change(signOfLife, { id, role }), `process:${id}`);
  await sign();
  listening.hold(lock);
  // The next heartbeat makes up for one that fails.
  const beat = setInterval(() => void sign().catch(() => undefined), limits.heartbeatMs).unref();

  return {
    ownId: id,
    findDead: async () => {
      if (listening.upMs() < limits.judgeAfterMs) return [];
      const rows = await store.read.all(findDead, {
        id,
        missing: limits.missingMs,
        silent: limits.silentProcessMs,
      });
      return rows.map((row) => row.id);
    },
    findLiving: () => findAllLiving(store.withRequestDeadline('work').read, limits.silentProcessMs),
    remove: (processId) =>
      store.write(async (tx) => {
        const found = await tx.first(findRole, { id: processId });
        return (await tx.change(removeProcess, { id: processId })) === 1 ? found?.role : undefined;
      }),
    leave: async () => {
      clearInterval(beat);
      listening.letGo(lock);
      await store.write((tx) => tx.change(removeProcess, { id }));
    },
  };
}

/** Finds processes with a heartbeat in the last `silent` milliseconds. */
export async function findAllLiving(
  reader: Reader,
  silent: number,
): Promise<{ id: string; role: ProcessRole }[]> {
  return reader.all(findLiving, { silent });
}

const processLocks = 0x6d70_0003;

/** Returns the first 28 bits of the id, as `findDead` does in SQL. */
function lockKey(id: string): number {
  return Number.parseInt(id.slice(0, 7), 16);
}

const databaseNow = sql<number>`(extract(epoch from clock_timestamp()) * 1000)::bigint`;

/** Updates the heartbeat, or inserts the row again if another process declared this one dead. */
const signOfLife = statement((db, arg: { id: string; role: ProcessRole }) =>
  db
    .insertInto('process')
    .values({ id: arg.id, role: arg.role, started_at: databaseNow, seen_at: databaseNow })
    .onConflict((conflict) => conflict.column('id').doUpdateSet({ seen_at: databaseNow })),
);

const removeProcess = statement((db, arg: { id: string }) =>
  db.deleteFrom('process').where('id', '=', arg.id),
);

const findRole = statement((db, arg: { id: string }) =>
  db.selectFrom('process').select('role').where('id', '=', arg.id),
);

const findLiving = statement((db, arg: { silent: number }) =>
  db
    .selectFrom('process')
    .select(['id', 'role'])
    .where('seen_at', '>', sql<number>`${databaseNow} - ${arg.silent}::bigint`)
    .orderBy('id'),
);

const findDead = statement((db, arg: { id: string; missing: number; silent: number }) =>
  db
    .selectFrom('process')
    .select('id')
    .where('id', '<>', arg.id)
    .where(
      sql<boolean>`(seen_at <= ${databaseNow} - ${arg.silent}::bigint
        or (seen_at <= ${databaseNow} - ${arg.missing}::bigint and not exists (
          select 1 from pg_locks
          where locktype = 'advisory' and classid = ${sql.lit(processLocks)} and objsubid = 2 and granted
            and objid = ('x' || substr(process.id, 1, 7))::bit(28)::int::oid
            and database = (select oid from pg_database where datname = current_database()))))`,
    ),
);
