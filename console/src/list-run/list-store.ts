/**
 * Keeps the list that is being checked in this browser, so that a page that was reloaded goes on where it was: the
 * file, the key of the run, and the answers of each batch as they come. One list for each account, until it is
 * forgotten or replaced.
 */
import type { ListAnswer } from './list-answer.ts';

export type SavedList = {
  accountId: string;
  name: string;
  bytes: Uint8Array<ArrayBuffer>;
  column: number;
  /** The idempotency keys of the run are made from it. */
  resumeKey: string;
  /** Milliseconds since the epoch. */
  startedAt: number;
  /** Stopped by hand: it waits to be told to go on. */
  isStopped: boolean;
};

type SavedBatch = { accountId: string; batch: number; answers: ListAnswer[] };
export type SavedRun = { list: SavedList; batches: SavedBatch[] };

export type ListStore = {
  saveList(list: SavedList): Promise<void>;
  saveBatch(batch: SavedBatch): Promise<void>;
  load(accountId: string): Promise<SavedRun | undefined>;
  remove(accountId: string): Promise<void>;
};

const databaseName = 'mailproof';

export function createListStore(indexedDB: IDBFactory): ListStore {
  const open = () => openDatabase(indexedDB);
  return {
    async saveList(list) {
      await inTransaction(await open(), 'readwrite', ({ lists }) => void lists.put(list));
    },
    async saveBatch(batch) {
      await inTransaction(await open(), 'readwrite', ({ batches }) => void batches.put(batch));
    },
    async load(accountId) {
      const found: { list?: SavedList; batches: SavedBatch[] } = { batches: [] };
      await inTransaction(await open(), 'readonly', ({ lists, batches }) => {
        const list = lists.get(accountId);
        list.onsuccess = () => {
          if (list.result !== undefined) found.list = list.result as SavedList;
        };
        const all = batches.getAll(batchesOf(accountId));
        all.onsuccess = () => {
          found.batches = all.result as SavedBatch[];
        };
      });
      return found.list === undefined ? undefined : { list: found.list, batches: found.batches };
    },
    async remove(accountId) {
      await inTransaction(await open(), 'readwrite', ({ lists, batches }) => {
        lists.delete(accountId);
        batches.delete(batchesOf(accountId));
      });
    },
  };
}

function batchesOf(accountId: string): IDBKeyRange {
  return IDBKeyRange.bound([accountId, 0], [accountId, Number.MAX_SAFE_INTEGER]);
}

function openDatabase(indexedDB: IDBFactory): Promise<IDBDatabase> {
  return new Promise((resolve, reject) => {
    const opening = indexedDB.open(databaseName, 1);
    opening.onupgradeneeded = () => {
      opening.result.createObjectStore('lists', { keyPath: 'accountId' });
      opening.result.createObjectStore('batches', { keyPath: ['accountId', 'batch'] });
    };
    opening.onsuccess = () => resolve(opening.result);
    opening.onerror = () => reject(failed(opening.error));
  });
}

type Stores = { lists: IDBObjectStore; batches: IDBObjectStore };

/** Resolves once what was done is kept, not merely asked for. */
function inTransaction(
  database: IDBDatabase,
  mode: 'readonly' | 'readwrite',
  work: (stores: Stores) => void,
): Promise<void> {
  return new Promise<void>((resolve, reject) => {
    const transaction = database.transaction(['lists', 'batches'], mode);
    transaction.oncomplete = () => resolve();
    transaction.onabort = () => reject(failed(transaction.error));
    work({ lists: transaction.objectStore('lists'), batches: transaction.objectStore('batches') });
  }).finally(() => database.close());
}

function failed(cause: DOMException | null): Error {
  return new Error('the browser could not keep the list', { cause });
}
