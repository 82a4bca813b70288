import {
  conclusiveStatuses,
  type Address,
  type Clock,
  type Engine,
  type Explanation,
  type Outcome,
  type Recalled,
  type Verdict,
} from '@mailproof/engine';
import { reserve } from '../credits/reserve.ts';
import { settle } from '../credits/settle.ts';
import { spend } from '../credits/spend.ts';
import type { Till } from '../credits/till.ts';
import type { Store } from '../db/store.ts';
import type { Tx } from '../db/statement.ts';
import { StoreUnavailableError } from '../db/store-unavailable-error.ts';
import type { WallClock } from '../db/wall-clock.ts';
import { begin, finish, forget, recall, type IdempotentRequest } from '../idempotency/idempotency.ts';
import type { Caller } from '../keys/authenticate.ts';
import type { Slots } from './slots.ts';

/**
 * The story of a single verification: reserve → verify → settle.
 *
 * Nothing is sent to the network before the reservation is committed, and no conclusive verdict is returned
 * before its charge is (I12). If the store fails after the probe, the verdict is withheld and the sweeper
 * gives the credit back. Test keys go the same way, with the sandbox and without credits.
 *
 * Where the engine knows the verdict without asking anybody, reserve and settle are one transaction.
 */
export type VerifyOneRequest = {
  /** Names the request, and the hold it opens. */
  requestId: string;
  caller: Caller;
  address: Address;
  idempotency: IdempotentRequest | undefined;
  explain: boolean;
  signal: AbortSignal;
};

export type VerifyOneAnswer =
  | { kind: 'verified'; verdict: Verdict; explanation: Explanation; creditsUsed: 0 | 1; replayed: boolean }
  | { kind: 'insufficient_credits' }
  | { kind: 'account_frozen' }
  | { kind: 'request_in_progress' }
  | { kind: 'idempotency_mismatch' }
  | { kind: 'unavailable' }
  | { kind: 'timeout' };

export type VerifyOneParts = {
  store: Pick<Store, 'write'>;
  engine: Pick<Engine, 'verify'>;
  /** What the engine can tell without sending a packet. */
  recall: Engine['recall'];
  sandbox: Pick<Engine, 'verify'>;
  till: Till;
  slots: Slots;
  /** The engine's clock, for the deadline. */
  clock: Pick<Clock, 'now'>;
  wallClock: WallClock;
  /** This process, among those that use the store. */
  processId: string;
  singleTimeoutMs: number;
};

/** What a request that was let in has to bring to an end: its hold, and its idempotency key. */
type Attempt = { id: string; holdId: string | undefined };

/** Between the deadline and the sweeper: time for the engine to return and the settlement to be committed. */
const graceMs = 10_000;

export async function verifyOne(request: VerifyOneRequest, parts: VerifyOneParts): Promise<VerifyOneAnswer> {
  const { accountId, mode } = request.caller;
  const known = mode === 'live' ? parts.recall(request.address) : undefined;
  if (known !== undefined && conclusiveStatuses.has(known.verdict.status)) return sell(request, known, parts);

  const deadline = parts.clock.now() + parts.singleTimeoutMs;
  const started = await parts.store.write((tx) => start(tx, request, parts), accountId);
  if (started.kind !== 'started') return started;
  const { attempt } = started;
  try {
    const outcome = await probe(request, { ...parts, deadline });
    return await parts.store.write(
      (tx) => conclude(tx, { request, attempt, outcome, now: parts.wallClock.now() }),
      accountId,
    );
  } catch (error) {
    const givenUp = parts.store
      .write((tx) => giveUp(tx, { request, attempt, now: parts.wallClock.now() }), accountId)
      .catch(() => undefined);
    // Where the store itself fails, nobody waits for it once more: if need be, the sweeper gives the credit back.
    if (!(error instanceof StoreUnavailableError)) await givenUp;
    throw error;
  }
}

async function sell(
  request: VerifyOneRequest,
  known: Recalled,
  { store, till, wallClock }: VerifyOneParts,
): Promise<VerifyOneAnswer> {
  const { caller, idempotency, requestId } = request;
  const { accountId } = caller;
  if (idempotency !== undefined)
    return store.write((tx) => sellOnce(tx, { request, known, now: wallClock.now() }), accountId);
  const paid = await till.spend({ accountId, holdId: requestId });
  const { verdict, explanation } = known;
  return paid.kind === 'spent'
    ? { kind: 'verified', verdict, explanation, creditsUsed: 1, replayed: false }
    : paid;
}

type Sale = { request: VerifyOneRequest; known: Recalled; now: number };

async function sellOnce(tx: Tx, { request, known, now }: Sale): Promise<VerifyOneAnswer> {
  const { accountId } = request.caller;
  const scope = scopeOf(request, now);
  const earlier = scope && (await recall(tx, scope));
  if (earlier !== undefined && earlier.kind !== 'new') return repeat(earlier);
  const attempt = { id: request.requestId, holdId: request.requestId };
  if (scope !== undefined)
    await begin(tx, { ...scope, attempt: attempt.id, processId: null, expiresAt: now + graceMs });
  const paid = await spend(tx, { accountId, holdId: attempt.holdId, now });
  if (paid.kind !== 'spent') {
    await freeKey(tx, request, attempt.id);
    return paid;
  }
  const { verdict, explanation } = known;
  const answer = { kind: 'verified' as const, verdict, explanation, creditsUsed: 1 } satisfies Kept;
  await keep(tx, { request, attempt, now, answer });
  return { ...answer, replayed: false };
}

function scopeOf({ caller: { accountId }, idempotency }: VerifyOneRequest, now: number) {
  return idempotency && { accountId, endpoint: 'verification' as const, request: idempotency, now };
}

type Earlier = Exclude<Awaited<ReturnType<typeof recall>>, { kind: 'new' }>;

function repeat(earlier: Earlier): VerifyOneAnswer {
  return earlier.kind === 'answered' ? { ...readAnswer(earlier.answer), replayed: true } : earlier;
}

type StartAnswer = { kind: 'started'; attempt: Attempt } | VerifyOneAnswer;

async function start(tx: Tx, request: VerifyOneRequest, parts: VerifyOneParts): Promise<StartAnswer> {
  const { requestId, caller } = request;
  const now = parts.wallClock.now();
  const { processId } = parts;
  const expiresAt = now + parts.singleTimeoutMs + graceMs;
  const scope = scopeOf(request, now);
  const earlier = scope && (await recall(tx, scope));
  if (earlier !== undefined && earlier.kind !== 'new') return repeat(earlier);

  if (scope !== undefined) await begin(tx, { ...scope, attempt: requestId, processId, expiresAt });
  if (caller.mode === 'live') {
    const keeper = { processId, expiresAt };
    const hold = { accountId: caller.accountId, holdId: requestId, credits: 1, ifAvailable: 1, keeper, now };
    const reserved = await reserve(tx, hold);
    if (reserved.kind !== 'reserved') {
      await freeKey(tx, request, requestId);
      return reserved;
    }
  }
  return {
    kind: 'started',
    attempt: { id: requestId, holdId: caller.mode === 'live' ? requestId : undefined },
  };
}

async function probe(
  { caller, address: { email }, signal }: VerifyOneRequest,
  parts: VerifyOneParts & { deadline: number },
): Promise<Outcome | { kind: 'timeout' }> {
  const patience = { deadline: parts.deadline, signal };
  if (caller.mode === 'test') return parts.sandbox.verify(email, patience);
  const slot = await parts.slots.take({ accountId: caller.accountId, rank: 'single', patience });
  if (slot.kind === 'timeout') return slot;
  try {
    const asker = { urgency: 'single', account: caller.accountId } as const;
    return await parts.engine.verify(email, { ...patience, asker });
  } finally {
    slot.release();
  }
}

type Ending = { request: VerifyOneRequest; attempt: Attempt; now: number };

async function conclude(
  tx: Tx,
  ending: Ending & { outcome: Outcome | { kind: 'timeout' } },
): Promise<VerifyOneAnswer> {
  const { outcome, request, attempt, now } = ending;
  switch (outcome.kind) {
    case 'verdict': {
      const conclusive = conclusiveStatuses.has(outcome.verdict.status);
      const charge = conclusive && attempt.holdId !== undefined ? 1 : 0;
      if (!(await close(tx, ending, charge))) return { kind: 'timeout' };
      const { verdict, explanation } = outcome;
      const answer = { kind: 'verified' as const, verdict, explanation, creditsUsed: charge } satisfies Kept;
      await keep(tx, { request, attempt, now, answer });
      return { ...answer, replayed: false };
    }
    case 'timeout':
    case 'unavailable':
      await giveUp(tx, ending);
      return { kind: outcome.kind };
    case 'invalid_address':
      throw new Error('the engine refused an address that the route had let in');
  }
}

/** `false` where the sweeper came first: then nothing was charged and nothing may be told. */
async function close(tx: Tx, { request, attempt, now }: Ending, charge: 0 | 1): Promise<boolean> {
  if (attempt.holdId === undefined) return true;
  const { accountId } = request.caller;
  const settled = await settle(tx, { accountId, holdId: attempt.holdId, charge, now });
  return settled.kind === 'settled';
}

async function giveUp(tx: Tx, ending: Ending): Promise<void> {
  const { request, attempt } = ending;
  await close(tx, ending, 0);
  await freeKey(tx, request, attempt.id);
}

async function freeKey(
  tx: Tx,
  { caller: { accountId }, idempotency }: VerifyOneRequest,
  attempt: string,
): Promise<void> {
  if (idempotency !== undefined) await forget(tx, { accountId, key: idempotency.key, attempt });
}

type Kept = Omit<VerifyOneAnswer & { kind: 'verified' }, 'replayed'>;

async function keep(tx: Tx, { request, attempt, now, answer }: Ending & { answer: Kept }): Promise<void> {
  if (request.idempotency === undefined) return;
  const { accountId } = request.caller;
  const text = JSON.stringify(answer);
  await finish(tx, { accountId, key: request.idempotency.key, attempt: attempt.id, answer: text, now });
}

/** Only `keep` writes answers of this endpoint. */
function readAnswer(text: string): Kept {
  return JSON.parse(text) as Kept;
}
