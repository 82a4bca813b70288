import { othersFirst } from '../../core/store/others-first.ts';
import { statement, type Reader, type Tx } from '../../core/store/statement.ts';
import type { ListFile } from './reading/list-file.ts';

/** A list's file as it lies in the database: pieces of one size, the last one shorter. Any process can read it. */
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

/** Somebody deleted the list while it was being read. */
class ListErasedError extends Error {
  constructor() {
    super('the list was deleted');
    this.name = 'ListErasedError';
  }
}
