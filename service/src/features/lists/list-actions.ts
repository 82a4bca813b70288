import type { Readable } from 'node:stream';
import type { Store } from '../../core/store/store.ts';
import type { Reader, Tx } from '../../core/store/statement.ts';
import type { WallClock } from '../../core/store/wall-clock.ts';
import {
  begin,
  finish,
  forget,
  isKnownKey,
  recall,
  type IdempotentRequest,
} from '../../core/verify/idempotency.ts';
import { reservingKeyOf, type Caller } from '../../core/keys/authenticate.ts';
import type { SandboxAllowance, SandboxUsedUp } from '../../core/verify/sandbox/sandbox-allowance.ts';
import { changeColumn, renameList, type ChangeListAnswer } from './change-list.ts';
import { findList, type List } from './list.ts';
import type { StorageLimits } from './list-storage.ts';
import { planAhead } from './plan-tasks.ts';
import { readLists, readProgress, type ListPlace, type ListProgress } from './read-lists.ts';
import { readExplanation, readRows, type RowsRequest } from './read-rows.ts';
import { discardList, receiveList, revealList } from './receive-list.ts';
import type { RowResult } from './row-result.ts';
import { readStartScope, startList, type StartListAnswer } from './start-list.ts';
import {
  cancelList,
  deleteList,
  pauseList,
  resumeList,
  type ListOrder,
  type StopListAnswer,
} from './stop-list.ts';
import type { SurveyParts } from './survey-list.ts';
import { listsChannel } from './watch-lists.ts';
import { writeDownload, type Download } from './write-download.ts';
import type { ColumnWish } from './reading/find-layout.ts';
import { isUuid } from '../../core/store/is-uuid.ts';

/** What the holder of a key may do with lists. A caller sees the lists of its account and its mode alone. */
export type ListActions = {
  /** Throws a `ListProblem` where the file is no list. */
  create(request: CreateListRequest): Promise<CreateListAnswer>;
  change(caller: Caller, change: ListChange): Promise<ChangeListAnswer>;
  start(request: StartListRequest): Promise<StartAnswer>;
  pause(caller: Caller, listId: string): Promise<StopListAnswer>;
  resume(caller: Caller, listId: string): Promise<StopListAnswer>;
  cancel(caller: Caller, listId: string): Promise<StopListAnswer>;
  remove(caller: Caller, listId: string): Promise<StopListAnswer>;
  page(request: {
    caller: Caller;
    limit: number;
    after: ListPlace | undefined;
  }): Promise<{ lists: { list: List; progress: ListProgress }[]; next: ListPlace | undefined }>;
  read(caller: Caller, listId: string): Promise<{ list: List; progress: ListProgress } | undefined>;
  rows(
    caller: Caller,
    listId: string,
    request: RowsRequest,
  ): Promise<{ rows: RowResult[]; next: number | undefined } | undefined>;
  /** The explanation of a row, in JSON; nothing where there is no such list or no answer. */
  explanation(caller: Caller, listId: string, row: number): Promise<string | undefined>;
  download(
    caller: Caller,
    listId: string,
    download: Download,
  ): Promise<{ list: List; content: Readable } | undefined>;
};

/** Its routes need it. */
export type ListHttp = { lists: ListActions };

export type CreateListRequest = {
  caller: Caller;
  requestId: string;
  name: string;
  content: AsyncIterable<Uint8Array>;
  declaredBytes: number | undefined;
  column: ColumnWish | undefined;
  split: boolean;
  /** What makes two uploads the same beside their bytes is hashed by the caller with them. */
  idempotency: { key: string; hashWith: (contentHash: string) => string } | undefined;
};

export type CreateListAnswer =
  | { kind: 'created'; list: List; replayed: boolean }
  | SandboxUsedUp
  | { kind: 'request_in_progress' }
  | { kind: 'idempotency_mismatch' };

export type ListChange = {
  listId: string;
  column?: ColumnWish | undefined;
  split?: boolean | undefined;
  name?: string | undefined;
};

export type StartListRequest = {
  caller: Caller;
  requestId: string;
  listId: string;
  first: number | undefined;
  idempotency: IdempotentRequest | undefined;
};

type StartAnswer =
  | Exclude<StartListAnswer, { kind: 'started' }>
  | { kind: 'started'; list: List; replayed: boolean }
  | { kind: 'request_in_progress' }
  | { kind: 'idempotency_mismatch' };

type ListActionsParts = Omit<SurveyParts, 'store'> & {
  store: Pick<Store, 'read' | 'write' | 'writeAlone' | 'notify'>;
  wallClock: WallClock;
  processId: string;
  listMaxBytes: number;
  listStorage: StorageLimits;
  listDeadlineMs: number;
  retentionMs: number;
  sandboxAllowance: SandboxAllowance;
  /** Tells the workers that there is something to do. */
  wake: () => void;
};

export function createListActions(parts: ListActionsParts): ListActions {
  const { store, wallClock } = parts;
  const find = (caller: Caller, listId: string) => findOwn(store.read, caller, listId);
  const stop =
    (work: (tx: Tx, order: ListOrder) => Promise<StopListAnswer>) =>
    async ({ accountId, mode }: Caller, listId: string): Promise<StopListAnswer> => {
      if (!isUuid(listId)) return { kind: 'list_not_found' };
      const answer = await store.writeAlone(
        (tx) => work(tx, { accountId, mode, listId, now: wallClock.now() }),
        accountId,
      );
      store.notify(listsChannel);
      parts.wake();
      return answer;
    };
  return {
    create: (request) => create(request, parts),
    change: (caller, change) => changeOwn(caller, change, parts),
    start: (request) => start(request, parts),
    pause: stop(pauseList),
    resume: async (caller, listId) => {
      const answer = await stop(resumeList)(caller, listId);
      if (answer.kind !== 'done') return answer;
      await planAhead(store, { accountId: caller.accountId, listId, now: wallClock.now() });
      parts.wake();
      return answer;
    },
    cancel: stop(cancelList),
    remove: stop(deleteList),
    page: async ({ caller, limit, after }) => {
      const { accountId, mode } = caller;
      const { lists, next } = await readLists(store.read, { accountId, mode, limit, after });
      const withProgress = lists.map(async (list) => ({
        list,
        progress: await readProgress(store.read, list, wallClock.now()),
      }));
      return { lists: await Promise.all(withProgress), next };
    },
    read: async (caller, listId) => {
      const list = await find(caller, listId);
      return list && { list, progress: await readProgress(store.read, list, wallClock.now()) };
    },
    rows: async (caller, listId, request) => {
      const list = await find(caller, listId);
      return list && readRows(store.read, list, request);
    },
    explanation: async (caller, listId, row) => {
      const list = await find(caller, listId);
      return list && readExplanation(store.read, list, row);
    },
    download: async (caller, listId, download) => {
      const list = await find(caller, listId);
      return (
        list?.plan && {
          list,
          content: writeDownload(store.read, list, { ...download, workbooks: parts.workbooks }),
        }
      );
    },
  };
}

async function findOwn(
  reader: Reader,
  { accountId, mode }: Caller,
  listId: string,
): Promise<List | undefined> {
  return isUuid(listId) ? findList(reader, { accountId, mode, listId }) : undefined;
}

/** A row of a usual list is not longer. */
const bytesOfAddress = 1_000;

/** A test key may upload what is left of its account's allowance in the sandbox. */
async function receive(wanted: CreateListRequest, parts: ListActionsParts) {
  const { accountId, mode } = wanted.caller;
  const { sandboxAllowance } = parts;
  const request = { ...wanted, isRepeated: await isRepeated(wanted, parts) };
  if (mode === 'live') return { kind: 'received' as const, ...(await receiveList(request, parts)) };
  const left = sandboxAllowance.left(accountId);
  if (left === 0) {
    const retryAfterSeconds = sandboxAllowance.retryAfterSeconds(accountId);
    return { kind: 'sandbox_used_up' as const, retryAfterSeconds };
  }
  const received = await receiveList(request, {
    ...parts,
    listMaxRows: Math.min(parts.listMaxRows, left),
    listMaxBytes: Math.min(parts.listMaxBytes, left * bytesOfAddress),
  });
  const { rows } = received.survey.counts;
  sandboxAllowance.take(accountId, Math.max(rows, Math.ceil(received.bytes / bytesOfAddress)));
  return { kind: 'received' as const, ...received };
}

/** An upload whose `Idempotency-Key` was used before is received and then dropped, so it needs no room. */
async function isRepeated(
  { caller, idempotency }: CreateListRequest,
  { store, wallClock }: ListActionsParts,
): Promise<boolean> {
  if (idempotency === undefined) return false;
  const { accountId } = caller;
  return isKnownKey(store.read, { accountId, key: idempotency.key, now: wallClock.now() });
}

/**
 * The bytes have to be there before it is known whether they came before, so a repeated upload is received again, and
 * then dropped in favour of the first.
 */
async function create(request: CreateListRequest, parts: ListActionsParts): Promise<CreateListAnswer> {
  const { caller, idempotency, requestId } = request;
  const { accountId, mode } = caller;
  const received = await receive(request, parts);
  if (received.kind === 'sandbox_used_up') return received;
  const { listId, contentHash } = received;
  const now = parts.wallClock.now();
  const answer = await parts.store.writeAlone(
    async (tx): Promise<{ kind: 'new'; listId: string } | { kind: 'replayed'; listId: string } | Refused> => {
      const scope = idempotency && {
        accountId,
        endpoint: 'task' as const,
        request: { key: idempotency.key, bodyHash: idempotency.hashWith(contentHash) },
        now,
      };
      const earlier = scope && (await recall(tx, scope));
      if (earlier?.kind === 'answered') return { kind: 'replayed', listId: earlier.answer };
      if (earlier !== undefined && earlier.kind !== 'new') return earlier;
      await revealList(tx, listId);
      if (scope === undefined) return { kind: 'new', listId };
      await begin(tx, { ...scope, attempt: requestId, processId: null, expiresAt: now + attemptMs });
      await finish(tx, { accountId, key: scope.request.key, attempt: requestId, answer: listId, now });
      return { kind: 'new', listId };
    },
    accountId,
  );
  if (answer.kind !== 'new') await parts.store.write((tx) => discardList(tx, listId));
  if (answer.kind !== 'new' && answer.kind !== 'replayed') return answer;
  const list = await findList(parts.store.read, { accountId, mode, listId: answer.listId });
  // The first may have been deleted since; then the answer to the repetition is gone with it.
  return list === undefined
    ? { kind: 'idempotency_mismatch' }
    : { kind: 'created', list, replayed: answer.kind === 'replayed' };
}

/** Nobody sees the attempt, as it begins and ends in one transaction; but until then its twins have to find it. */
const attemptMs = 60_000;

type Refused = { kind: 'request_in_progress' } | { kind: 'idempotency_mismatch' };

async function changeOwn(
  { accountId, mode }: Caller,
  { listId, column, split, name }: ListChange,
  parts: ListActionsParts,
): Promise<ChangeListAnswer> {
  if (!isUuid(listId)) return { kind: 'list_not_found' };
  const place = { accountId, mode, listId };
  if (name !== undefined && column === undefined && split === undefined)
    return parts.store.write((tx) => renameList(tx, { ...place, name }), accountId);
  return changeColumn({ ...place, column, split, name }, parts);
}

async function start(request: StartListRequest, parts: ListActionsParts): Promise<StartAnswer> {
  const { caller, listId, idempotency, requestId, first } = request;
  const { accountId, mode } = caller;
  if (!isUuid(listId)) return { kind: 'list_not_found' };
  const now = parts.wallClock.now();
  const surveyed = await findList(parts.store.read, { accountId, mode, listId });
  if (surveyed === undefined) return { kind: 'list_not_found' };
  const order = {
    accountId,
    mode,
    key: reservingKeyOf(caller),
    listId,
    scope: await readStartScope(parts.store.read, surveyed, first),
    requestId,
    deadlineMs: parts.listDeadlineMs,
    now,
  };
  const answer = await parts.store.writeAlone(
    async (tx): Promise<StartListAnswer | Refused | { kind: 'replayed' }> => {
      if (idempotency === undefined) return startList(tx, order);
      const scope = { accountId, endpoint: 'task' as const, request: idempotency, now };
      const earlier = await recall(tx, scope);
      if (earlier.kind === 'answered') return { kind: 'replayed' };
      if (earlier.kind !== 'new') return earlier;
      const attempt = { accountId, key: idempotency.key, attempt: requestId };
      await begin(tx, { ...scope, attempt: requestId, processId: null, expiresAt: now + attemptMs });
      const started = await startList(tx, order);
      if (started.kind === 'started') await finish(tx, { ...attempt, answer: listId, now });
      else await forget(tx, attempt);
      return started;
    },
    accountId,
  );
  if (answer.kind !== 'started' && answer.kind !== 'replayed') return answer;
  parts.wake();
  await planAhead(parts.store, { accountId, listId, now });
  parts.wake();
  const list = await findList(parts.store.read, { accountId, mode, listId });
  return list === undefined
    ? { kind: 'list_not_found' }
    : { kind: 'started', list, replayed: answer.kind === 'replayed' };
}
