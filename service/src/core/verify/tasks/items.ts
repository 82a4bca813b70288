import { sql, type ExpressionBuilder } from 'kysely';
import type { Schema } from '../../store/schema.ts';
import { statement, type BatchWork, type Tx } from '../../store/statement.ts';
import { shelved, type Claim } from './claim-task.ts';
import type { Result } from './result.ts';
import { readVisits, type Visit } from './visits.ts';

/**
 * What a worker writes about the addresses of its task. Each statement changes a row only while the address is
 * pending and the worker's fence is the task's; otherwise it has no effect and says why not.
 *
 *     pending ──begin──▶ pending, one attempt more ──record──▶ done
 *                            └────defer────▶ pending, to be asked again later
 */
export type Item = {
  position: number;
  email: string;
  attempts: number;
  nextAt: number;
  /** Those that ended in a deferral. */
  visits: Visit[];
};

type ItemAnswer = { kind: 'written' } | { kind: 'stale_fence' } | { kind: 'not_pending' };

/** After so many probes that never came to an end, it is the address that kills them. */
export const mostAttempts = 3;

type Place = { task: string; position: number; fence: number };

const placeOf = ({ taskId, fence }: Fenced, position: number): Place => ({ task: taskId, position, fence });

type Fenced = Pick<Claim, 'taskId' | 'fence'>;

function fenceHolds(eb: ExpressionBuilder<Schema, 'item'>, fence: number) {
  return eb.exists(fencedTask(eb, fence));
}

function fencedTask(eb: ExpressionBuilder<Schema, 'item'>, fence: number) {
  return eb
    .selectFrom('task')
    .select('task.id')
    .whereRef('task.id', '=', 'item.task_id')
    .where('task.fence', '=', fence)
    .where('task.status', '=', 'running');
}

const findPending = statement((db, arg: { task: string }) =>
  db
    .selectFrom('item')
    .select(['position', 'email', 'attempts', 'visited', 'next_at as nextAt'])
    .where('task_id', '=', arg.task)
    .where('state', '=', sql.lit('pending'))
    .orderBy('attempts')
    .orderBy('position'),
);

/** Those never begun come first; those whose probe did not come to an end come last. */
export async function pendingItems(tx: Pick<Tx, 'all'>, taskId: string): Promise<Item[]> {
  const rows = await tx.all(findPending, { task: taskId });
  return rows.map(({ visited, ...item }) => ({ ...item, visits: readVisits(visited) }));
}

const countAttempt = statement((db, arg: Place) =>
  db
    .updateTable('item')
    .set((eb) => ({ attempts: eb('attempts', '+', eb.lit(1)) }))
    .where('task_id', '=', arg.task)
    .where('position', '=', arg.position)
    .where('state', '=', 'pending')
    .where('attempts', '<', mostAttempts)
    .where((eb) => eb.exists(fencedTask(eb, arg.fence).where('task.next_at', '<', eb.lit(shelved)))),
);

/** Counts an attempt before it is made; no address of a paused list is begun. */
export async function beginItem(tx: Tx, claim: Fenced, position: number): Promise<ItemAnswer> {
  const begun = await tx.change(countAttempt, placeOf(claim, position));
  return begun === 1 ? { kind: 'written' } : refusal(tx, claim);
}

const uncountAttempt = statement((db, arg: Place) =>
  db
    .updateTable('item')
    .set((eb) => ({ attempts: eb('attempts', '-', eb.lit(1)) }))
    .where('task_id', '=', arg.task)
    .where('position', '=', arg.position)
    .where('state', '=', 'pending')
    .where('attempts', '>', 0)
    .where((eb) => fenceHolds(eb, arg.fence)),
);

/** We broke the attempt off ourselves: it says nothing against the address. */
export async function putBackItem(tx: Tx, claim: Fenced, position: number): Promise<void> {
  await tx.change(uncountAttempt, placeOf(claim, position));
}

const postpone = statement((db, arg: Place & { next: number; visited: string }) =>
  db
    .updateTable('item')
    .set((eb) => ({
      attempts: 0,
      visits: eb('visits', '+', eb.lit(1)),
      visited: arg.visited,
      next_at: arg.next,
    }))
    .where('task_id', '=', arg.task)
    .where('position', '=', arg.position)
    .where('state', '=', 'pending')
    .where((eb) => fenceHolds(eb, arg.fence)),
);

/** The mail host asked us to come back. `visits` are all so far, with the one that ended so. */
export async function deferItem(
  tx: Tx,
  claim: Fenced,
  { position, nextAt, visits }: { position: number; nextAt: number; visits: Visit[] },
): Promise<ItemAnswer> {
  const visited = JSON.stringify(visits);
  const changed = await tx.change(postpone, { ...placeOf(claim, position), next: nextAt, visited });
  return changed === 1 ? { kind: 'written' } : refusal(tx, claim);
}

const postponeUnasked = statement((db, arg: Place & { next: number }) =>
  db
    .updateTable('item')
    .set({ attempts: 0, next_at: arg.next })
    .where('task_id', '=', arg.task)
    .where('position', '=', arg.position)
    .where('state', '=', 'pending')
    .where((eb) => fenceHolds(eb, arg.fence)),
);

/** Nobody could ask: the address waits, and nothing is held against it. */
export async function holdItem(
  tx: Tx,
  claim: Fenced,
  { position, nextAt }: { position: number; nextAt: number },
): Promise<ItemAnswer> {
  const changed = await tx.change(postponeUnasked, { ...placeOf(claim, position), next: nextAt });
  return changed === 1 ? { kind: 'written' } : refusal(tx, claim);
}

const answerItem = statement(
  (db, arg: Place & { conclusive: number; verdict: string; explanation: string }) =>
    db
      .updateTable('item')
      .set({ state: 'done', conclusive: arg.conclusive, verdict: arg.verdict, explanation: arg.explanation })
      .where('task_id', '=', arg.task)
      .where('position', '=', arg.position)
      .where('state', '=', 'pending')
      .where((eb) => fenceHolds(eb, arg.fence)),
);

const addToChecked = statement((db, arg: { task: string; more: number }) =>
  db
    .updateTable('task')
    .set((eb) => ({ checked: eb('checked', '+', arg.more) }))
    .where('id', '=', arg.task),
);

type Recording = { claim: Fenced; position: number; result: Result };

/**
 * Results of a task that are written at the same time are counted together: a row that all write is written once. All are
 * sent before the first is answered.
 */
const recordTogether: BatchWork<Recording, ItemAnswer> = {
  most: 100,
  run: async (tx, recordings) => {
    const changes = await Promise.all(
      recordings.map(({ claim, position, result }) =>
        tx.change(answerItem, {
          ...placeOf(claim, position),
          conclusive: result.conclusive ? 1 : 0,
          verdict: JSON.stringify(result.verdict),
          explanation: JSON.stringify(result.explanation),
        }),
      ),
    );
    const [{ claim }] = recordings as [Recording];
    const more = changes.filter((changed) => changed === 1).length;
    if (more > 0) await tx.change(addToChecked, { task: claim.taskId, more });
    if (more === recordings.length) return recordings.map(() => ({ kind: 'written' }));
    const refused = await refusal(tx, claim);
    return changes.map((changed) => (changed === 1 ? { kind: 'written' } : refused));
  },
};

/** Writes the result of an address, once. */
export async function recordResult(
  tx: Tx,
  claim: Fenced,
  { position, result }: { position: number; result: Result },
): Promise<ItemAnswer> {
  return tx.batch(recordTogether, `${claim.taskId} ${claim.fence}`, { claim, position, result });
}

const findFence = statement((db, arg: { task: string; fence: number }) =>
  db
    .selectFrom('task')
    .select('id')
    .where('id', '=', arg.task)
    .where('fence', '=', arg.fence)
    .where('status', '=', 'running'),
);

async function refusal(tx: Tx, { taskId, fence }: Fenced): Promise<ItemAnswer> {
  const current = await tx.first(findFence, { task: taskId, fence });
  return { kind: current === undefined ? 'stale_fence' : 'not_pending' };
}
