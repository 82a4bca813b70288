import { sql } from 'kysely';
import { statement, type Tx } from '../../core/store/statement.ts';
import type { Store } from '../../core/store/store.ts';
import type { ListOwner } from './list.ts';
import { ListProblem } from './reading/list-problem.ts';

/**
 * How much the lists of an account may store. The account pays: a full one uploads nothing more until it deletes a list
 * or one expires, and no other account notices. An account that was never granted credits has less room. Lists of live
 * and of test keys are counted apart, so a try-out never takes the room of real lists.
 *
 * A file takes its room before it comes: all of it if its size is declared, else in steps. Uploads that run side by side
 * therefore never exceed the limit together. The rows are known at the end and counted then.
 */
export type StorageLimits = {
  /** Of an account that was granted credits, and of one that never was. */
  listStorageBytes: number;
  listStorageFreeBytes: number;
};

/** A row in the database beside the file, and what a list takes however small its file is. */
const bytesPerRow = 100;
const bytesPerList = 10_000;

/** An upload that does not say its size takes room ahead of what has come, as much as there is up to this. */
const aheadBytes = 8_000_000;

type StorageOrder = ListOwner & {
  listId: string;
  bytes: number;
  rows: number;
  /** More is to come, nobody knows how much. */
  isOpen: boolean;
};

const sumOthers = statement((db, arg: { account: string; mode: ListOwner['mode']; list: string }) =>
  db
    .selectFrom('list')
    .select(
      sql<number>`coalesce(cast(sum(file_bytes + ${sql.lit(bytesPerRow)} * rows + ${sql.lit(bytesPerList)}) as bigint), 0)`.as(
        'bytes',
      ),
    )
    .where('account_id', '=', arg.account)
    .where('mode', '=', arg.mode)
    .where('state', '<>', sql.lit('deleted' as const))
    .where('id', '<>', arg.list),
);

const findGranted = statement((db, arg: { account: string }) =>
  db.selectFrom('account').select('granted').where('id', '=', arg.account),
);

const writeBytes = statement((db, arg: { list: string; bytes: number }) =>
  db
    .updateTable('list')
    .set({ file_bytes: arg.bytes })
    .where('id', '=', arg.list)
    .where('state', '=', sql.lit('receiving' as const)),
);

type StorageAnswer = { kind: 'taken'; bytes: number } | { kind: 'no_room'; problem: ListProblem };

/** Takes what a list that is being received needs, and writes it down as the size of its file. */
async function takeStorage(
  tx: Tx,
  { listId, accountId, mode, bytes, rows, isOpen }: StorageOrder,
  limits: StorageLimits,
): Promise<StorageAnswer> {
  const stored = (await tx.first(sumOthers, { account: accountId, mode, list: listId }))?.bytes ?? 0;
  const granted = (await tx.first(findGranted, { account: accountId }))?.granted ?? 0;
  const most = granted > 0 ? limits.listStorageBytes : limits.listStorageFreeBytes;
  const left = most - stored - bytesPerList - bytesPerRow * rows;
  if (bytes > left)
    return { kind: 'no_room', problem: noRoom({ stored, most, mode, isFree: granted === 0 }) };
  const taken = isOpen ? Math.min(bytes + aheadBytes, left) : bytes;
  await tx.change(writeBytes, { list: listId, bytes: taken });
  return { kind: 'taken', bytes: taken };
}

/**
 * Takes storage together with a write that depends on it; `limits` is absent for a file that will not stay. Throws the
 * refusal. Counting and taking do not interleave with another upload of the account.
 */
export async function takeStorageFor(
  write: (tx: Tx) => Promise<void>,
  order: StorageOrder,
  { store, limits }: { store: Pick<Store, 'writeAlone'>; limits: StorageLimits | undefined },
): Promise<number> {
  const answer = await store.writeAlone(async (tx): Promise<StorageAnswer> => {
    const taken =
      limits === undefined
        ? ({ kind: 'taken', bytes: Infinity } as const)
        : await takeStorage(tx, order, limits);
    if (taken.kind === 'taken') await write(tx);
    return taken;
  }, `lists ${order.accountId}`);
  if (answer.kind === 'no_room') throw answer.problem;
  return answer.bytes;
}

type Room = { stored: number; most: number; mode: ListOwner['mode']; isFree: boolean };

function noRoom({ stored, most, mode, isFree }: Room): ListProblem {
  const whose = mode === 'test' ? 'The lists of your test keys' : 'Your lists';
  const limit = isFree ? 'an account without credits may store' : 'your account may store';
  const remedy = isFree
    ? 'Delete lists that you no longer need, or add credits to the account.'
    : 'Delete lists that you no longer need.';
  return new ListProblem(
    'list_too_large',
    `${whose} take ${megabytes(stored)} of the ${megabytes(most)} that ${limit}, and this one does not fit. ${remedy} Then upload it again.`,
  );
}

function megabytes(bytes: number): string {
  const rounded = Math.round(bytes / 100_000) / 10;
  return `${rounded.toLocaleString('en-US')} MB`;
}
