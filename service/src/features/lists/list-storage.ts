import { sql } from 'kysely';
import { statement, type Tx, type Reader } from '../../core/store/statement.ts';
import type { Store } from '../../core/store/store.ts';
import type { ListOwner } from './list.ts';
import { ListProblem } from './reading/list-problem.ts';
import { othersFirst } from '../../core/store/others-first.ts';
import type { ListFile } from './reading/list-file.ts';

/**
 * Limits on what the lists of an account may store. A full account uploads nothing more until a list is deleted or
 * expires; other accounts are not affected. An account that was never granted credits has less room. Lists of live and
 * of test keys are counted apart, so a trial never takes the room of real lists.
 *
 * A file takes its room before its bytes arrive: all of it if its size is declared, otherwise in steps. Concurrent
 * uploads therefore never exceed the limit together. Rows are counted at the end, when their number is known.
 */
export type StorageLimits = {
  /** For accounts that were granted credits, and for accounts that never were. */
  listStorageBytes: number;
  listStorageFreeBytes: number;
};

/** Bytes of a row in the database beside the file, and of a list itself. */
const bytesPerRow = 100;
const bytesPerList = 10_000;

/** An upload without a declared size takes up to this much room ahead of the bytes received. */
const aheadBytes = 8_000_000;

type StorageOrder = ListOwner & {
  listId: string;
  bytes: number;
  rows: number;
  /** More bytes may come; their number is unknown. */
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

/** Takes the room for a list that is being received, and records it as the size of its file. */
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
 * Takes storage together with a write that depends on it, or throws the refusal. `limits` is absent for a file that
 * will not stay. Counting and taking never interleave with another upload of the account.
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

/** Piece size of a list's file in the database; the last piece is shorter. Any process can read the file. */
export const pieceBytes = 65_536;

const insertPiece = statement((db, arg: { list: string; number: number; bytes: Uint8Array }) =>
  db.insertInto('list_piece').values({ list_id: arg.list, number: arg.number, bytes: arg.bytes }),
);

export async function storePiece(
  tx: Tx,
  piece: { listId: string; number: number; bytes: Uint8Array },
): Promise<void> {
  const { listId: list, number, bytes } = piece;
  await tx.change(insertPiece, { list, number, bytes });
}

const readPiece = statement((db, arg: { list: string; number: number }) =>
  db
    .selectFrom('list_piece')
    .select('bytes')
    .where('list_id', '=', arg.list)
    .where('number', '=', arg.number),
);

export function openStoredFile(reader: Reader, { listId, size }: { listId: string; size: number }): ListFile {
  const piece = async (number: number): Promise<Uint8Array> => {
    const found = await reader.first(readPiece, { list: listId, number });
    if (found === undefined) throw new ListErasedError();
    return found.bytes;
  };
  async function* pieces(): AsyncGenerator<Uint8Array> {
    for (let number = 0; number * pieceBytes < size; number += 1) {
      yield await piece(number);
      await othersFirst();
    }
  }
  async function slice(start: number, end: number): Promise<Uint8Array> {
    const found: Uint8Array[] = [];
    for (let number = Math.floor(start / pieceBytes); number * pieceBytes < end; number += 1) {
      const from = number * pieceBytes;
      found.push((await piece(number)).subarray(Math.max(0, start - from), end - from));
    }
    return Buffer.concat(found);
  }
  return { size, pieces, slice };
}

/** The list was deleted while its file was being read. */
class ListErasedError extends Error {
  constructor() {
    super('the list was deleted');
    this.name = 'ListErasedError';
  }
}
