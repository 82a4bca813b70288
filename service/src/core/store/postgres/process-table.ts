import { randomUUID } from 'node:crypto';
import { sql } from 'kysely';
import type { ProcessRegistry, ProcessRole } from '../process-registry.ts';
import { statement, type Reader } from '../statement.ts';
import type { Store } from '../store.ts';
import type { PostgresLimits } from './postgres-limits.ts';
import type { ListenConnection } from './listen-connection.ts';

/**
 * Tells which of the processes that work on a PostgreSQL database live, and which have died.
 *
 * Each has a row with its last sign of life, written every two seconds by the database's clock, and holds an advisory
 * lock on a connection that it keeps up. A process that was killed loses its lock at once and is found dead a few seconds
 * later; one that stands still, or whose machine was cut off, keeps its lock for as long as the server believes in its
 * connection, and is found dead after thirty seconds without a sign. A lost lock alone proves nothing: connections break. And whoever
 * has just come back itself judges nobody: after a restart of the database the others are on their way too.
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
  // Under a key of its own: where others wait for a table that somebody has locked, we live on.
  const sign = () => store.write((tx) => tx.change(signOfLife, { id, role }), `process:${id}`);
  await sign();
  listening.hold(lock);
  // One that fails is made up for by the next.
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

/** Finds processes that gave a sign of life in the last `silent` milliseconds. */
export async function findAllLiving(
  reader: Reader,
  silent: number,
): Promise<{ id: string; role: ProcessRole }[]> {
  return reader.all(findLiving, { silent });
}

const processLocks = 0x6d70_0003;

/** The first 28 bits of the id, here and in `findDead`. */
function lockKey(id: string): number {
  return Number.parseInt(id.slice(0, 7), 16);
}

const databaseNow = sql<number>`(extract(epoch from clock_timestamp()) * 1000)::bigint`;

/** Writes the row anew where somebody took us for dead. */
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
