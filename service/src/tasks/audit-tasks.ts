import { sql } from 'kysely';
import type { Violation } from '../credits/violation.ts';
import { othersFirst } from '../db/others-first.ts';
import { statement, type Reader } from '../db/statement.ts';

/**
 * Checks the tasks of one account against their addresses and their holds: charged is what was conclusive (I5); completed
 * and settled go together, both only when all are answered, and the hold counts the addresses (I6); the count of checked addresses is
 * right (I7); nobody holds what is completed (I9); no hold is left without its task (I6).
 */
const sliceTasks = 200;

const findTasks = statement((db, arg: { account: string; after: string; limit: number }) =>
  db
    .selectFrom('task')
    .leftJoin('hold', (join) =>
      join.onRef('hold.account_id', '=', 'task.account_id').onRef('hold.id', '=', 'task.hold_id'),
    )
    .leftJoin('item', 'item.task_id', 'task.id')
    .select([
      'task.id',
      'task.mode',
      'task.status',
      'task.total',
      'task.checked',
      'task.lease_until',
      'task.list_id',
    ])
    .select(['hold.state as hold_state', 'hold.credits as hold_credits', 'hold.charged as hold_charged'])
    .select((eb) => [
      eb.fn.count<number>('item.position').as('items'),
      eb.fn.count<number>('item.verdict').as('done'),
      eb.fn.coalesce(eb.fn.sum<number>('item.conclusive'), sql.lit(0)).as('conclusive'),
    ])
    .where('task.account_id', '=', arg.account)
    .where('task.id', '>', arg.after)
    .groupBy(['task.id', 'hold.account_id', 'hold.id'])
    .orderBy('task.id')
    .limit(arg.limit),
);

const findOrphans = statement((db, arg: { account: string }) =>
  db
    .selectFrom('hold')
    .leftJoin('task', (join) =>
      join.onRef('task.account_id', '=', 'hold.account_id').onRef('task.hold_id', '=', 'hold.id'),
    )
    .leftJoin('list', (join) =>
      join.onRef('list.account_id', '=', 'hold.account_id').onRef('list.hold_id', '=', 'hold.id'),
    )
    .select('hold.id')
    .where('list.id', 'is', null)
    .where('hold.account_id', '=', arg.account)
    .where('hold.state', '=', sql.lit('open'))
    .where('hold.expires_at', 'is', null)
    .where('task.id', 'is', null),
);

type Row = {
  id: string;
  mode: 'live' | 'test';
  status: 'waiting' | 'running' | 'completed';
  total: number;
  checked: number;
  lease_until: number;
  list_id: string | null;
  hold_state: 'open' | 'settled' | null;
  hold_credits: number | null;
  hold_charged: number | null;
  items: number;
  done: number;
  conclusive: number;
};

export async function auditTasks(
  reader: Reader,
  accountId: string,
): Promise<{ tasks: number; violations: Violation[] }> {
  const violations: Violation[] = (await reader.all(findOrphans, { account: accountId })).map(({ id }) => ({
    invariant: 'I6',
    accountId,
    detail: `hold ${id} is open and has neither task nor list`,
  }));
  let tasks = 0;
  for (let after: string | undefined = ''; after !== undefined;) {
    const rows: Row[] = await reader.all(findTasks, { account: accountId, after, limit: sliceTasks });
    for (const row of rows)
      violations.push(...auditTask(row).map((found) => ({ ...found, accountId, taskId: row.id })));
    tasks += rows.length;
    after = rows.length === sliceTasks ? rows.at(-1)?.id : undefined;
    await othersFirst();
  }
  return { tasks, violations };
}

function auditTask(task: Row): { invariant: string; detail: string }[] {
  const completed = task.status === 'completed';
  const hasHold = task.hold_state !== null;
  const promises: [string, boolean, string][] = [
    ['I5', !completed || !hasHold || task.hold_charged === task.conclusive, 'charged = conclusive results'],
    ['I6', task.items === task.total, 'as many addresses as the total says'],
    ['I6', !completed || task.done === task.total, 'completed only if all are answered'],
    ['I6', !hasHold || completed === (task.hold_state === 'settled'), 'completed if and only if settled'],
    ['I6', !hasHold || task.hold_credits === task.total, 'the hold counts the addresses'],
    [
      'I6',
      hasHold === (task.mode === 'live' && task.total > 0 && task.list_id === null),
      'a live task with addresses has a hold, no other has, nor has the task of a list',
    ],
    ['I7', task.checked === task.done, 'checked = answered addresses'],
    ['I9', !completed || task.lease_until === 0, 'nobody holds a completed task'],
  ];
  return promises.filter(([, holds]) => !holds).map(([invariant, , detail]) => ({ invariant, detail }));
}
