import { statement, type Tx } from '../../core/store/statement.ts';
import { endList } from './end-list.ts';
import { findList, type List, type ListOwner } from './list.ts';
import { shelved } from '../../core/verify/tasks/claim-task.ts';
import { planTasks, takeUpTasks } from './plan-tasks.ts';
import { absorbTask } from './settle-list-task.ts';
import { writeListEvent } from './write-list-event.ts';

/** Pause, resume, cancel and delete. What is done twice is done once: the second finds the list where it should be. */
export type StopListAnswer =
  { kind: 'done' } | { kind: 'list_not_found' } | { kind: 'wrong_state'; state: List['state'] };

export type ListOrder = ListOwner & { listId: string; now: number };

const writeState = statement((db, arg: { list: string; state: List['state'] }) =>
  db.updateTable('list').set({ state: arg.state }).where('id', '=', arg.list),
);

/** Sets a list's tasks aside, those under way too: none of their addresses is begun from now on. */
const shelveTasks = statement((db, arg: { list: string }) =>
  db.updateTable('task').set({ next_at: shelved }).where('list_id', '=', arg.list),
);

/** Hands out no more addresses; only conversations that ask for one now are ended (`watch-lists.ts`). */
export async function pauseList(tx: Tx, order: ListOrder): Promise<StopListAnswer> {
  return change(tx, order, {
    from: 'running',
    already: 'paused',
    work: async (list) => {
      await tx.change(writeState, { list: list.id, state: 'paused' });
      await tx.change(shelveTasks, { list: list.id });
      const { accountId: account_id, mode, run } = list;
      const { wanted, checked } = run;
      const paused = { list_id: list.id, account_id, mode, wanted, checked, now: order.now };
      await writeListEvent(tx, paused, { type: 'list.paused' });
    },
  });
}

export async function resumeList(tx: Tx, order: ListOrder): Promise<StopListAnswer> {
  return change(tx, order, {
    from: 'paused',
    already: 'running',
    work: async (list) => {
      await tx.change(writeState, { list: list.id, state: 'running' });
      await takeUpTasks(tx, list.id, order.now);
      await planTasks(tx, list.id, order.now);
    },
  });
}

type Change = {
  from: List['state'];
  already: List['state'];
  work: (list: List) => Promise<unknown>;
};

async function change(tx: Tx, order: ListOrder, { from, already, work }: Change): Promise<StopListAnswer> {
  const list = await findList(tx, order);
  if (list === undefined) return { kind: 'list_not_found' };
  if (list.state === already) return { kind: 'done' };
  if (list.state !== from) return { kind: 'wrong_state', state: list.state };
  await work(list);
  return { kind: 'done' };
}

/** Ends the run now: what was checked is charged for and kept, the rest of the credits goes back. */
export async function cancelList(tx: Tx, order: ListOrder): Promise<StopListAnswer> {
  const list = await findList(tx, order);
  if (list === undefined) return { kind: 'list_not_found' };
  if (list.state === 'cancelled') return { kind: 'done' };
  if (list.state !== 'running' && list.state !== 'paused') return { kind: 'wrong_state', state: list.state };
  await endRun(tx, { listId: list.id, state: 'cancelled', now: order.now });
  return { kind: 'done' };
}

/** Nobody sees it from now on; the sweep erases its rows and its file within moments. */
export async function deleteList(tx: Tx, order: ListOrder): Promise<StopListAnswer> {
  const list = await findList(tx, order);
  if (list === undefined) return { kind: 'list_not_found' };
  if (list.state === 'running' || list.state === 'paused')
    await endRun(tx, { listId: list.id, state: 'cancelled', now: order.now });
  await tx.change(writeState, { list: list.id, state: 'deleted' });
  return { kind: 'done' };
}

const findTasks = statement((db, arg: { list: string }) =>
  db.selectFrom('task').select('id').where('list_id', '=', arg.list),
);

/** Takes the open tasks back with what they have found (their workers lose their leases) and settles. */
export async function endRun(
  tx: Tx,
  { listId, state, now }: { listId: string; state: 'completed' | 'cancelled'; now: number },
): Promise<void> {
  for (const { id } of await tx.all(findTasks, { list: listId }))
    await absorbTask(tx, { taskId: id, listId });
  await endList(tx, { listId, state, now });
}
