import { randomUUID } from 'node:crypto';
import { createListParser, trimAddress } from '@mailproof/engine';
import { reserve, type ReserveRefusal } from '../../ledger/reserve.ts';
import { settle } from '../../ledger/settle.ts';
import type { Store } from '../../store/store.ts';
import type { Tx } from '../../store/statement.ts';
import type { WallClock } from '../../store/wall-clock.ts';
import { begin, finish, forget, recall, type IdempotentRequest } from '../idempotency.ts';
import { reservingKeyOf, type Caller } from '../../keys/authenticate.ts';
import { retentionOf } from '../sandbox/sandbox-allowance.ts';
import { insertWaitingTask, type NewTask } from './insert-task.ts';

/**
 * Takes a bulk task in: one transaction for the task, its addresses and the reservation, so that an accepted
 * task is never without its credits nor credits without their task.
 *
 * As many credits as addresses were submitted have to be available and are reserved. Those of duplicates and
 * rejected addresses go back in the same transaction, through a hold of their own, so that the task's hold
 * counts exactly its addresses (I6).
 */
export type CreateTaskRequest = {
  caller: Caller;
  emails: string[];
  name: string | undefined;
  /** What the client was told in `X-Request-Id`; the task's hold has the same id. */
  requestId: string;
  idempotency: IdempotentRequest | undefined;
};

type Counts = { submitted: number; duplicatesRemoved: number; rejected: number; processing: number };

export type CreateTaskAnswer =
  | { kind: 'created'; taskId: string; counts: Counts; creditsUsed: number; replayed: boolean }
  | ReserveRefusal
  | { kind: 'request_in_progress' }
  | { kind: 'idempotency_mismatch' };

type CreateTaskParts = {
  store: Pick<Store, 'write'>;
  wallClock: WallClock;
  taskDeadlineMs: number;
  taskRetentionMs: number;
  /** Tells the workers that there is something to do. */
  wake: () => void;
};

export async function createTask(
  request: CreateTaskRequest,
  parts: CreateTaskParts,
): Promise<CreateTaskAnswer> {
  const addresses = sortAddresses(request.emails);
  const now = parts.wallClock.now();
  const serialKey = request.caller.accountId;
  const answer = await parts.store.write((tx) => create(tx, { request, addresses, parts, now }), serialKey);
  if (answer.kind === 'created' && !answer.replayed) parts.wake();
  return answer;
}

type SortedAddresses = {
  /** To be verified, in the order given, in the first spelling. */
  accepted: string[];
  duplicates: number;
  rejected: number;
};

/**
 * Trims, sets aside what is no address, and removes duplicates, in this order. Two addresses are the same if
 * local part and domain agree without regard to case, as they go on the wire: without needless quotes, in ASCII.
 */
function sortAddresses(emails: readonly string[]): SortedAddresses {
  const parseAddress = createListParser();
  const spellings = new Map<string, string>();
  let rejected = 0;
  let duplicates = 0;
  for (const email of emails) {
    const parsed = parseAddress(trimAddress(email));
    if (parsed.kind === 'invalid') {
      rejected += 1;
      continue;
    }
    const { localPart, host } = parsed.address;
    const same = `${localPart.toLowerCase()}@${host}`;
    if (spellings.has(same)) duplicates += 1;
    else spellings.set(same, parsed.address.email);
  }
  return { accepted: [...spellings.values()], duplicates, rejected };
}

type Creation = {
  request: CreateTaskRequest;
  addresses: SortedAddresses;
  parts: CreateTaskParts;
  now: number;
};

async function create(tx: Tx, creation: Creation): Promise<CreateTaskAnswer> {
  const { request, addresses, parts, now } = creation;
  const { caller, idempotency } = request;
  const scope = idempotency && {
    accountId: caller.accountId,
    endpoint: 'task' as const,
    request: idempotency,
    now,
  };
  const earlier = scope && (await recall(tx, scope));
  if (earlier?.kind === 'answered') return { ...readAnswer(earlier.answer), replayed: true };
  if (earlier !== undefined && earlier.kind !== 'new') return { kind: earlier.kind };

  const attempt = request.requestId;
  const key = { accountId: caller.accountId, key: idempotency?.key ?? '', attempt };
  const expiresAt = now + parts.taskDeadlineMs;
  if (scope !== undefined) await begin(tx, { ...scope, attempt, processId: null, expiresAt });
  const held =
    caller.mode === 'live' ? await holdCredits(tx, creation) : { kind: 'held' as const, holdId: null };
  if (held.kind !== 'held') {
    if (scope !== undefined) await forget(tx, key);
    return held;
  }
  const task = newTask(creation, held.holdId);
  await insertWaitingTask(tx, task, addresses.accepted);
  if (task.status === 'completed') {
    const data = { task_id: task.id, mode: task.mode, count_total: 0, credits_used: 0 };
    const event = { type: 'task.completed', data } as const;
    await tx.tell({ kind: 'event', accountId: task.account, event, now });
  }
  const answer = {
    kind: 'created' as const,
    taskId: task.id,
    counts: countsOf(request, addresses),
    creditsUsed: held.holdId === null ? 0 : task.total,
  };
  if (scope !== undefined) await finish(tx, { ...key, answer: JSON.stringify(answer), now });
  return { ...answer, replayed: false };
}

type Held = { kind: 'held'; holdId: string | null } | ReserveRefusal;

async function holdCredits(tx: Tx, { request, addresses, now }: Creation): Promise<Held> {
  const { accountId } = request.caller;
  const key = reservingKeyOf(request.caller);
  const { requestId } = request;
  const { submitted, processing } = countsOf(request, addresses);
  let holdId: string | null = null;
  if (processing > 0) {
    const answer = await reserve(tx, {
      accountId,
      key,
      credits: processing,
      ifAvailable: submitted,
      keeper: null,
      holdId: requestId,
      now,
    });
    if (answer.kind !== 'reserved') return answer;
    holdId = answer.holdId;
  }
  const returned = submitted - processing;
  if (returned > 0) {
    const answer = await reserve(tx, {
      accountId,
      key,
      credits: returned,
      ifAvailable: returned,
      keeper: null,
      holdId: returnedHoldOf(requestId),
      now,
    });
    if (answer.kind !== 'reserved' && holdId === null) return answer;
    // Others of the group may come between; then all run again, one after the other.
    if (answer.kind !== 'reserved') throw new Error('credits were taken between the two parts of a task');
    await settle(tx, { accountId, holdId: answer.holdId, charge: 0, now });
  }
  return { kind: 'held', holdId };
}

/** The ledger shows both holds of a request together (see credits/read-ledger.ts). */
function returnedHoldOf(requestId: string): string {
  return `${requestId}:returned`;
}

function newTask({ request, addresses, parts, now }: Creation, holdId: string | null): NewTask {
  const total = addresses.accepted.length;
  const finished = total === 0;
  return {
    id: randomUUID(),
    account: request.caller.accountId,
    mode: request.caller.mode,
    name: `API: ${request.name ?? minuteOf(now)}`,
    status: finished ? 'completed' : 'waiting',
    total,
    hold: holdId,
    deadline: now + parts.taskDeadlineMs,
    now,
    completed: finished ? now : null,
    expires: finished ? now + retentionOf(request.caller.mode, parts.taskRetentionMs) : null,
    results: finished ? '{}' : null,
    key: request.caller.keyId,
    request: request.requestId,
    list: null,
  };
}

/** `YYYY-MM-DD HH:MM`, in UTC. */
function minuteOf(now: number): string {
  return new Date(now).toISOString().slice(0, 16).replace('T', ' ');
}

function countsOf(
  { emails }: CreateTaskRequest,
  { accepted, duplicates, rejected }: SortedAddresses,
): Counts {
  return { submitted: emails.length, duplicatesRemoved: duplicates, rejected, processing: accepted.length };
}

/** Only `create` writes answers of this endpoint. */
function readAnswer(text: string): Omit<CreateTaskAnswer & { kind: 'created' }, 'replayed'> {
  return JSON.parse(text) as Omit<CreateTaskAnswer & { kind: 'created' }, 'replayed'>;
}
