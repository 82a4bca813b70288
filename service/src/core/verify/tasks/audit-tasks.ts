import { sql, type ExpressionBuilder, type Kysely } from 'kysely';
import type { TaskHold } from '../../ledger/audit-entries.ts';
import type { Violation } from '../../ledger/violation.ts';
import type { Schema } from '../../store/schema.ts';
import { createPlaces, type Places } from '../../store/places.ts';
import { statement, type Reader } from '../../store/statement.ts';

/**
 * Checks the tasks of one account against their addresses and their holds: charged is what was conclusive (I5); completed
 * and settled go together, both only when all are answered, and the hold counts the addresses (I6); the count of checked addresses is
 * right (I7); nobody holds what is completed (I9); no hold is left without its task (I6).
 *
 * Tasks are looked at a few at a time, since each has up to a hundred addresses.
 */
const tasksAtOnce = 25;

const places = createPlaces(tasksAtOnce);

function tasksWithHolds(db: Kysely<Schema>) {
  return db
    .selectFrom('task')
    .leftJoin('hold', (join) =>
      join.onRef('hold.account_id', '=', 'task.account_id').onRef('hold.id', '=', 'task.hold_id'),
    )
    .select(['task.id', 'task.mode', 'task.status', 'task.total', 'task.checked', 'task.lease_until'])
    .select(['task.list_id', 'task.request_id', 'task.created_at'])
    .select(['hold.state as hold_state', 'hold.credits as hold_credits', 'hold.charged as hold_charged']);
}

type Page = { account: string; at: number; after: string; limit: number };

const findTasks = statement((db, arg: Page) =>
  tasksWithHolds(db)
    .where('task.account_id', '=', arg.account)
    .where((eb) => eb(eb.refTuple('task.created_at', 'task.id'), '>', eb.tuple(arg.at, arg.after)))
    .orderBy('task.created_at')
    .orderBy('task.id')
    .limit(arg.limit),
);

const findTasksOfRequests = statement((db, arg: Places) =>
  tasksWithHolds(db).select('task.account_id').where('task.request_id', 'in', places.of(arg)),
);

/**
 * The hold of a task has the id of the request that created it (see create-task.ts). The account is compared here: asked
 * for it too, SQLite would go through all tasks that the account ever had.
 */
async function tasksOfRequests(reader: Reader, accountId: string, ids: string[]): Promise<TaskRow[]> {
  const rows = await reader.all(findTasksOfRequests, places.for(ids));
  return rows.filter(({ account_id }) => account_id === accountId);
}

const countItems = statement((db, arg: Places) =>
  db
    .selectFrom('item')
    .select(['task_id', (eb) => eb.fn.countAll<number>().as('items')])
    .select((eb: ExpressionBuilder<Schema, 'item'>) => [
      eb.fn.count<number>('verdict').as('done'),
      eb.fn.sum<number>('conclusive').as('conclusive'),
    ])
    .where('task_id', 'in', places.of(arg))
    .groupBy('task_id'),
);

/** Those of tasks that nobody has claimed yet. */
const findWaitingAddresses = statement((db, arg: Places) =>
  db.selectFrom('waiting_addresses').select(['task_id', 'emails']).where('task_id', 'in', places.of(arg)),
);

type TaskRow = {
  id: string;
  mode: 'live' | 'test';
  status: 'waiting' | 'running' | 'completed';
  total: number;
  checked: number;
  lease_until: number;
  list_id: string | null;
  request_id: string | null;
  created_at: number;
  hold_state: 'open' | 'settled' | null;
  hold_credits: number | null;
  hold_charged: number | null;
};

type Counts = { items: number; done: number; conclusive: number };

type AuditedTasks = { tasks: number; violations: Violation[] };

/** All tasks of the account, or those created since that have no hold: the others are found by their entries. */
export async function auditTasks(
  reader: Reader,
  accountId: string,
  only?: { withoutHoldSince: number },
): Promise<AuditedTasks> {
  const found: AuditedTasks = { tasks: 0, violations: [] };
  let last: Pick<TaskRow, 'created_at' | 'id'> | undefined = {
    created_at: only?.withoutHoldSince ?? -1,
    id: '',
  };
  while (last !== undefined) {
    const page: Page = { account: accountId, at: last.created_at, after: last.id, limit: tasksAtOnce };
    const rows: TaskRow[] = await reader.all(findTasks, page);
    const wanted = only === undefined ? rows : rows.filter(({ hold_state }) => hold_state === null);
    add(found, await auditSome(reader, accountId, wanted));
    last = rows.length === tasksAtOnce ? rows.at(-1) : undefined;
  }
  if (only === undefined) found.violations.push(...(await auditOpenHolds(reader, accountId)));
  return found;
}

/** The tasks that the holds pay for. An open hold has a task or a list. */
export async function auditTasksOfHolds(
  reader: Reader,
  accountId: string,
  holds: TaskHold[],
): Promise<AuditedTasks> {
  const found: AuditedTasks = { tasks: 0, violations: [] };
  for (let from = 0; from < holds.length; from += tasksAtOnce) {
    const some = holds.slice(from, from + tasksAtOnce);
    const ids = some.map(({ id }) => id);
    const rows = await tasksOfRequests(reader, accountId, ids);
    add(found, await auditSome(reader, accountId, rows));
    const open = some.filter(({ isOpen }) => isOpen).map(({ id }) => id);
    found.violations.push(...(await findOrphans(reader, accountId, { open, tasks: rows })));
  }
  return found;
}

const findOpenHolds = statement((db, arg: { account: string; after: string; limit: number }) =>
  db
    .selectFrom('hold')
    .select('id')
    .where('account_id', '=', arg.account)
    .where('state', '=', sql.lit('open'))
    .where('expires_at', 'is', null)
    .where('id', '>', arg.after)
    .orderBy('id')
    .limit(arg.limit),
);

const findListHolds = statement((db, arg: Places & { account: string }) =>
  db
    .selectFrom('list')
    .select('hold_id')
    .where('account_id', '=', arg.account)
    .where('hold_id', 'in', places.of(arg)),
);

/** Of a few open holds, those that none of these tasks has, and no list. */
async function findOrphans(
  reader: Reader,
  accountId: string,
  { open, tasks }: { open: string[]; tasks: TaskRow[] },
): Promise<Violation[]> {
  const requests = new Set(tasks.map(({ request_id }) => request_id));
  const others = open.filter((id) => !requests.has(id));
  if (others.length === 0) return [];
  const rows = await reader.all(findListHolds, { account: accountId, ...places.for(others) });
  const ofLists = new Set(rows.map(({ hold_id }) => hold_id));
  return others.filter((id) => !ofLists.has(id)).map((id) => orphan(accountId, id));
}

async function auditOpenHolds(reader: Reader, accountId: string): Promise<Violation[]> {
  const violations: Violation[] = [];
  for (let after: string | undefined = ''; after !== undefined;) {
    const page = { account: accountId, after, limit: tasksAtOnce };
    const rows: { id: string }[] = await reader.all(findOpenHolds, page);
    const open = rows.map(({ id }) => id);
    const tasks = await tasksOfRequests(reader, accountId, open);
    violations.push(...(await findOrphans(reader, accountId, { open, tasks })));
    after = rows.length === tasksAtOnce ? rows.at(-1)?.id : undefined;
  }
  return violations;
}

function orphan(accountId: string, holdId: string): Violation {
  return { invariant: 'I6', accountId, detail: `hold ${holdId} is open and has neither task nor list` };
}

function add(found: AuditedTasks, more: AuditedTasks): void {
  found.tasks += more.tasks;
  found.violations.push(...more.violations);
}

async function auditSome(reader: Reader, accountId: string, tasks: TaskRow[]): Promise<AuditedTasks> {
  if (tasks.length === 0) return { tasks: 0, violations: [] };
  const counts = await countAddresses(
    reader,
    tasks.map(({ id }) => id),
  );
  const violations = tasks.flatMap((task) =>
    auditTask(task, counts.get(task.id) ?? { items: 0, done: 0, conclusive: 0 }).map((found) => ({
      ...found,
      accountId,
      taskId: task.id,
    })),
  );
  return { tasks: tasks.length, violations };
}

async function countAddresses(reader: Reader, ids: string[]): Promise<Map<string, Counts>> {
  const tasks = places.for(ids);
  const items = await reader.all(countItems, tasks);
  const waiting = await reader.all(findWaitingAddresses, tasks);
  const counts = new Map<string, Counts>(items.map((row) => [row.task_id, row]));
  for (const { task_id: id, emails } of waiting) {
    const { items: more, done, conclusive } = counts.get(id) ?? { items: 0, done: 0, conclusive: 0 };
    counts.set(id, { items: more + (JSON.parse(emails) as unknown[]).length, done, conclusive });
  }
  return counts;
}

function auditTask(task: TaskRow, { items, done, conclusive }: Counts): Omit<Violation, 'accountId'>[] {
  const completed = task.status === 'completed';
  const hasHold = task.hold_state !== null;
  const promises: [string, boolean, string][] = [
    ['I5', !completed || !hasHold || task.hold_charged === conclusive, 'charged = conclusive results'],
    ['I6', items === task.total, 'as many addresses as the total says'],
    ['I6', !completed || done === task.total, 'completed only if all are answered'],
    ['I6', !hasHold || completed === (task.hold_state === 'settled'), 'completed if and only if settled'],
    ['I6', !hasHold || task.hold_credits === task.total, 'the hold counts the addresses'],
    [
      'I6',
      hasHold === (task.mode === 'live' && task.total > 0 && task.list_id === null),
      'a live task with addresses has a hold, no other has, nor has the task of a list',
    ],
    ['I7', task.checked === done, 'checked = answered addresses'],
    ['I9', !completed || task.lease_until === 0, 'nobody holds a completed task'],
  ];
  return promises.filter(([, holds]) => !holds).map(([invariant, , detail]) => ({ invariant, detail }));
}
