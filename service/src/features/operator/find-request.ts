import { sql } from 'kysely';
import { statement } from '../../core/store/statement.ts';
import type { Store } from '../../core/store/store.ts';
import type { ListedTask } from '../../core/verify/tasks/list-tasks.ts';
import { isUuid } from '../../core/store/is-uuid.ts';

/**
 * What a request did, found by its `X-Request-Id`: which account sent it, when, what it cost, and the task it created.
 * Never an address. A request that reserved nothing and created no task leaves no trace; a task is found until it is
 * erased, its credits for ever.
 */
export type RequestTrace = {
  requestId: string;
  accountId: string;
  kind: 'verification' | 'task';
  at: number;
  credits: { reserved: number; charged: number; released: number };
  task: ListedTask | undefined;
};

/** A request's holds are named after it: its own, and that of what a task gave back at once (see create-task.ts). */
type Ops = {
  reserved: string;
  charged: string;
  released: string;
  reservedToo: string;
  releasedToo: string;
};

/** By their `op`, which no two entries share and the table keeps an index of. */
const findEntries = statement((db, arg: Ops) =>
  db
    .selectFrom('entry')
    .leftJoin('hold', (join) =>
      join.onRef('hold.account_id', '=', 'entry.account_id').onRef('hold.id', '=', 'entry.hold_id'),
    )
    .select(['entry.account_id', 'entry.kind', 'entry.credits', 'entry.at'])
    .select(['hold.expires_at as hold_expires_at'])
    .where('entry.op', 'in', [arg.reserved, arg.charged, arg.released, arg.reservedToo, arg.releasedToo])
    .orderBy('entry.number'),
);

const findTask = statement((db, arg: { request: string }) =>
  db
    .selectFrom('task')
    .leftJoin('hold', (join) =>
      join.onRef('hold.account_id', '=', 'task.account_id').onRef('hold.id', '=', 'task.hold_id'),
    )
    .select(['task.id', 'task.account_id', 'task.name', 'task.status', 'task.mode'])
    .select(['task.total', 'task.checked', 'task.created_at', 'task.completed_at'])
    .select(['task.expires_at', 'task.key_id'])
    .select((eb) =>
      eb.fn
        .coalesce(
          eb
            .case()
            .when('hold.state', '=', sql.lit('settled'))
            .then(eb.ref('hold.charged'))
            .else(eb.ref('hold.credits'))
            .end(),
          sql.lit(0),
        )
        .as('credits_used'),
    )
    .where('task.request_id', '=', arg.request),
);

export async function findRequest(
  requestId: string,
  { store }: { store: Pick<Store, 'read'> },
): Promise<RequestTrace | undefined> {
  if (!isUuid(requestId)) return undefined;
  const entries = await store.read.all(findEntries, {
    reserved: `reserve:${requestId}`,
    charged: `charge:${requestId}`,
    released: `release:${requestId}`,
    reservedToo: `reserve:${requestId}:returned`,
    releasedToo: `release:${requestId}:returned`,
  });
  const row = await store.read.first(findTask, { request: requestId });
  const [first] = entries;
  const accountId = first?.account_id ?? row?.account_id;
  const at = first?.at ?? row?.created_at;
  if (accountId === undefined || at === undefined) return undefined;
  const sumOf = (kind: string) =>
    entries.filter((entry) => entry.kind === kind).reduce((sum, { credits }) => sum + credits, 0);
  return {
    requestId,
    accountId,
    // The hold of a single verification ends by itself; that of a task ends with the task.
    kind: row !== undefined || first?.hold_expires_at === null ? 'task' : 'verification',
    at,
    credits: { reserved: sumOf('reserve'), charged: sumOf('charge'), released: sumOf('release') },
    task: row && taskOf(row),
  };
}

type TaskRow = Pick<ListedTask, 'name' | 'status' | 'mode' | 'total' | 'checked'> & {
  id: string;
  created_at: number;
  completed_at: number | null;
  expires_at: number | null;
  key_id: string | null;
  credits_used: number;
};

function taskOf({ id, name, status, mode, total, checked, ...row }: TaskRow): ListedTask {
  return {
    taskId: id,
    name,
    status,
    mode,
    total,
    checked,
    createdAt: row.created_at,
    completedAt: row.completed_at,
    expiresAt: row.expires_at,
    keyId: row.key_id,
    creditsUsed: row.credits_used,
  };
}
