import { createHash, randomUUID } from 'node:crypto';
import type { Store } from '../../core/store/store.ts';
import { statement, type Tx } from '../../core/store/statement.ts';
import type { WallClock } from '../../core/store/wall-clock.ts';
import type { Caller } from '../../core/keys/authenticate.ts';
import { retentionOf } from '../../core/verify/sandbox/sandbox-allowance.ts';
import { watchUtf8 } from './reading/decode-text.ts';
import { takeStorageFor, type StorageLimits } from './list-storage.ts';
import { ListProblem } from './reading/list-problem.ts';
import { openStoredFile, pieceBytes, storePiece } from './stored-file.ts';
import { surveyList, type Survey, type SurveyParts } from './survey-list.ts';
import type { ColumnWish } from './reading/find-layout.ts';

/**
 * Takes a file in: receive → survey → show. The file is written away in pieces as it comes and never held whole. Until it
 * is surveyed nobody sees the list; if the upload breaks, or the file turns out to be no list, nothing of it is kept.
 */
type ReceiveListRequest = {
  caller: Caller;
  requestId: string;
  name: string;
  content: AsyncIterable<Uint8Array>;
  /** How large the file is, where that is known before it comes. */
  declaredBytes?: number | undefined;
  column?: ColumnWish | undefined;
  split: boolean;
  /** The upload repeats an earlier one, so none of it will stay and it needs no room. */
  isRepeated?: boolean;
};

type ReceiveListParts = Omit<SurveyParts, 'store'> & {
  store: Pick<Store, 'read' | 'write' | 'writeAlone'>;
  wallClock: WallClock;
  /** This process: if it dies while it receives, the others erase what it had. */
  processId: string;
  listMaxBytes: number;
  listStorage: StorageLimits;
  retentionMs: number;
};

type ReceivedList = { listId: string; bytes: number; contentHash: string; survey: Survey };

export async function receiveList(
  request: ReceiveListRequest,
  parts: ReceiveListParts,
): Promise<ReceivedList> {
  if ((request.declaredBytes ?? 0) > parts.listMaxBytes) throw tooLarge(parts.listMaxBytes);
  const listId = randomUUID();
  const { store } = parts;
  const take = createStorageTaker(listId, request, parts);
  const declared = request.declaredBytes ?? 0;
  let takenBytes = await take((tx) => beginList(tx, listId, { request, parts }), { bytes: declared });
  const onBytes = async (bytes: number): Promise<void> => {
    if (bytes > takenBytes) takenBytes = await take(() => Promise.resolve(), { bytes, isOpen: true });
  };
  try {
    const received = await storeFile(listId, { content: request.content, onBytes }, parts);
    const file = openStoredFile(store.read, { listId, size: received.bytes });
    const { column, split, caller } = request;
    const { accountId, mode } = caller;
    const survey = await surveyList(
      { listId, accountId, mode, file, isValidUtf8: received.isValidUtf8, column, split },
      parts,
    );
    const { rows } = survey.counts;
    await take((tx) => noteFile(tx, listId, { ...received, survey, split }), { bytes: received.bytes, rows });
    return { listId, bytes: received.bytes, contentHash: received.contentHash, survey };
  } catch (error) {
    // Where the store itself fails, the sweep erases it later.
    await store.write((tx) => discardList(tx, listId)).catch(() => undefined);
    throw error;
  }
}

/** Takes what the file is known to need by now, together with a write. */
function createStorageTaker(
  listId: string,
  { caller, isRepeated = false }: ReceiveListRequest,
  { store, listStorage }: ReceiveListParts,
) {
  const { accountId, mode } = caller;
  const limits = isRepeated ? undefined : listStorage;
  return (
    write: (tx: Tx) => Promise<void>,
    { bytes, rows = 0, isOpen = false }: { bytes: number; rows?: number; isOpen?: boolean },
  ): Promise<number> =>
    takeStorageFor(write, { accountId, mode, listId, bytes, rows, isOpen }, { store, limits });
}

type Received = { bytes: number; isValidUtf8: boolean; contentHash: string };

/** Pieces of one size, whatever the sizes in which they arrive. */
async function storeFile(
  listId: string,
  { content, onBytes }: { content: AsyncIterable<Uint8Array>; onBytes: (bytes: number) => Promise<void> },
  { store, listMaxBytes }: ReceiveListParts,
): Promise<Received> {
  const digest = createHash('sha256');
  const utf8 = watchUtf8();
  let bytes = 0;
  let number = 0;
  let waiting: Uint8Array[] = [];
  let waitingBytes = 0;
  const flush = async (least: number): Promise<void> => {
    if (waitingBytes < least || waitingBytes === 0) return;
    const joined = Buffer.concat(waiting);
    const pieces: { number: number; bytes: Uint8Array }[] = [];
    let at = 0;
    for (; at < joined.length && (least === 0 || joined.length - at >= pieceBytes); at += pieceBytes) {
      pieces.push({ number, bytes: joined.subarray(at, at + pieceBytes) });
      number += 1;
    }
    waiting = at < joined.length ? [joined.subarray(at)] : [];
    waitingBytes = Math.max(0, joined.length - at);
    await store.write(async (tx) => {
      for (const piece of pieces) await storePiece(tx, { listId, ...piece });
    });
  };
  for await (const piece of content) {
    bytes += piece.length;
    if (bytes > listMaxBytes) throw tooLarge(listMaxBytes);
    await onBytes(bytes);
    digest.update(piece);
    utf8.add(piece);
    waiting.push(piece);
    waitingBytes += piece.length;
    await flush(4 * pieceBytes);
  }
  await flush(0);
  return { bytes, isValidUtf8: utf8.isValid(), contentHash: digest.digest('hex') };
}

function tooLarge(most: number): ListProblem {
  const megabytes = Math.floor(most / 1_000_000);
  return new ListProblem(
    'list_too_large',
    `The file is larger than ${megabytes} MB. Split it, and upload the parts.`,
  );
}

type NewList = {
  list: string;
  account: string;
  mode: 'live' | 'test';
  name: string;
  owner: string;
  /** Null if a person uploads it in the console. */
  key: string | null;
  request: string;
  bytes: number;
  now: number;
  expires: number;
};

const insertList = statement((db, arg: NewList) =>
  db.insertInto('list').values({
    id: arg.list,
    account_id: arg.account,
    mode: arg.mode,
    name: arg.name,
    state: 'receiving',
    file_bytes: arg.bytes,
    plan: null,
    next_due: null,
    hold_id: null,
    owner: arg.owner,
    key_id: arg.key,
    request_id: arg.request,
    created_at: arg.now,
    started_at: null,
    ended_at: null,
    deadline_at: null,
    expires_at: arg.expires,
  }),
);

async function beginList(
  tx: Tx,
  listId: string,
  { request, parts }: { request: ReceiveListRequest; parts: ReceiveListParts },
): Promise<void> {
  const { caller, name, requestId } = request;
  const now = parts.wallClock.now();
  await tx.change(insertList, {
    list: listId,
    account: caller.accountId,
    mode: caller.mode,
    name,
    owner: parts.processId,
    key: caller.keyId,
    request: requestId,
    bytes: request.declaredBytes ?? 0,
    now,
    expires: now + retentionOf(caller.mode, parts.retentionMs),
  });
}

type FileNote = { list: string; bytes: number; utf8: number; split: number } & SurveyNote;
type SurveyNote = {
  plan: string;
  suggestions: string;
  expectedSeconds: number | null;
  rows: number;
  addresses: number;
  duplicates: number;
  blank: number;
  rejected: number;
  repaired: number;
};

const writeFileNote = statement((db, arg: FileNote) =>
  db
    .updateTable('list')
    .set({
      file_bytes: arg.bytes,
      valid_utf8: arg.utf8,
      split: arg.split,
      plan: arg.plan,
      suggestions: arg.suggestions,
      expected_seconds: arg.expectedSeconds,
      rows: arg.rows,
      addresses: arg.addresses,
      duplicates: arg.duplicates,
      blank: arg.blank,
      rejected: arg.rejected,
      repaired: arg.repaired,
    })
    .where('id', '=', arg.list)
    .where('state', '=', 'receiving'),
);

async function noteFile(
  tx: Tx,
  listId: string,
  { bytes, isValidUtf8, survey, split }: Received & { survey: Survey; split: boolean },
): Promise<void> {
  const { plan, counts, suggestions, expectedSeconds } = survey;
  await tx.change(writeFileNote, {
    list: listId,
    bytes,
    utf8: isValidUtf8 ? 1 : 0,
    split: split ? 1 : 0,
    plan: JSON.stringify(plan),
    suggestions: JSON.stringify(suggestions),
    expectedSeconds,
    ...counts,
  });
}

const showList = statement((db, arg: { list: string }) =>
  db
    .updateTable('list')
    .set({ state: 'surveyed', owner: null })
    .where('id', '=', arg.list)
    .where('state', '=', 'receiving'),
);

/** From here on its owner sees it. */
export async function revealList(tx: Tx, listId: string): Promise<void> {
  if ((await tx.change(showList, { list: listId })) !== 1) throw new Error('a received list is gone');
}

const dropList = statement((db, arg: { list: string }) =>
  db
    .updateTable('list')
    .set({ state: 'deleted', owner: null })
    .where('id', '=', arg.list)
    .where('state', '=', 'receiving'),
);

/** Nobody will see it; the sweep erases what there is of it. */
export async function discardList(tx: Tx, listId: string): Promise<void> {
  await tx.change(dropList, { list: listId });
}
