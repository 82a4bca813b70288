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
import { reserve, type ReserveRefusal } from '../ledger/reserve.ts';
import { settle } from '../ledger/settle.ts';
import type { Store } from '../store/store.ts';
import type { Tx } from '../store/statement.ts';
import { StoreUnavailableError, type StoreFault } from '../store/store-unavailable-error.ts';
import type { WallClock } from '../store/wall-clock.ts';
import type { IdempotentRequest } from './idempotency.ts';
import { reservingKeyOf, type Caller } from '../keys/authenticate.ts';
import { freeKey, keepAnswer, takeKey, withdrawAnswer, type Kept } from './answer-once.ts';
import type { GivenUp } from './given-up.ts';
import type { Slots } from './slots.ts';

/**
 * The story of a single verification: reserve → verify → settle.
 *
 * Nothing is sent to the network before the reservation is committed, and no conclusive verdict is returned
 * before its charge is (I12). If the store fails after the probe, the verdict is withheld, and the credit is given
 * back as soon as the store takes writes (given-up.ts). Test keys go the same way, with the sandbox and without credits.
 *
 * Where the engine knows the verdict without asking anybody, reserve and settle are one transaction. Requests of an
 * account that come together share their statements (see credits/reserve.ts).
 */
export type VerifyOneRequest = {
  /** Names the request, and the hold it opens. */
  requestId: string;
  caller: Caller;
  address: Address;
  idempotency: IdempotentRequest | undefined;
  explain: boolean;
  /** Whether the mail host is to be asked even if its answer is known (`Cache-Control: no-cache`). */
  isFresh?: boolean;
  signal: AbortSignal;
};

export type VerifyOneAnswer =
  | { kind: 'verified'; verdict: Verdict; explanation: Explanation; creditsUsed: 0 | 1; replayed: boolean }
  | ReserveRefusal
  | { kind: 'request_in_progress' }
  | { kind: 'idempotency_mismatch' }
  | { kind: 'unavailable' }
  | { kind: 'timeout' };

export type VerifyOneParts = {
  store: Pick<Store, 'write'>;
  /** The store for the end of a request, after its mail host was asked. */
  endStore: Pick<Store, 'write'>;
  engine: Pick<Engine, 'verify'>;
  /** What the engine can tell without sending a packet. */
  recall: Engine['recall'];
  sandbox: Pick<Engine, 'verify'>;
  slots: Slots;
  /** The engine's clock, for the deadline. */
  clock: Pick<Clock, 'now'>;
  wallClock: WallClock;
  /** This process, among those that use the store. */
  processId: string;
  /** Attempts that this process gave up while the store failed. */
  givenUp: Pick<GivenUp, 'add' | 'has'>;
  singleTimeoutMs: number;
};

/** Between the deadline and the sweeper: time for the engine to return and the settlement to be committed. */
const graceMs = 10_000;

export async function verifyOne(request: VerifyOneRequest, parts: VerifyOneParts): Promise<VerifyOneAnswer> {
  const write = <T>(work: (tx: Tx) => Promise<T>) => parts.store.write(work, request.caller.accountId);
  const end = <T>(work: (tx: Tx) => Promise<T>) => parts.endStore.write(work, request.caller.accountId);
  const expiresAt = parts.wallClock.now() + parts.singleTimeoutMs + graceMs;
  const step = (): Step => ({ request, expiresAt, now: parts.wallClock.now() });
  const known = recallConclusive(request, parts);
  if (known !== undefined)
    return write(async (tx) => (await start(tx, step(), parts)) ?? conclude(tx, step(), known));

  const deadline = parts.clock.now() + parts.singleTimeoutMs;
  const giveBack = () => write((tx) => giveUp(tx, step()));
  let started = false;
  try {
    const refused = await write((tx) => start(tx, step(), parts));
    if (refused !== undefined) return refused;
    started = true;
    const outcome = await probe(request, { ...parts, deadline });
    return await end((tx) => conclude(tx, step(), outcome));
  } catch (error) {
    if (!started && !mayBeCommitted(error)) throw error;
    const tried = parts.givenUp.add({ requestId: request.requestId, giveBack, started });
    // If the store itself fails, the client does not wait for it once more.
    if (!(error instanceof StoreUnavailableError)) await tried;
    throw error;
  }
}

/** The commit may have been sent before the connection was lost. */
const uncertainFaults: ReadonlySet<StoreFault> = new Set<StoreFault>([
  'unconfirmed',
  'unreachable',
  'failing',
]);

function mayBeCommitted(error: unknown): boolean {
  return error instanceof StoreUnavailableError && uncertainFaults.has(error.fault);
}

/** One transaction of the story. At `expiresAt` the hold may be swept, and the key may start another attempt. */
type Step = { request: VerifyOneRequest; now: number; expiresAt: number };

/** What the engine knows of the address without asking, if it is worth its credit. */
function recallConclusive(
  { caller, address }: VerifyOneRequest,
  { recall }: VerifyOneParts,
): Recalled | undefined {
  const known = caller.mode === 'live' ? recall(address) : undefined;
  return known !== undefined && conclusiveStatuses.has(known.verdict.status) ? known : undefined;
}

/** Reserves; or says why it cannot be, or what was answered to the same request before. */
async function start(
  tx: Tx,
  { request, now, expiresAt }: Step,
  { processId, givenUp }: VerifyOneParts,
): Promise<VerifyOneAnswer | undefined> {
  const keeper = { processId, expiresAt };
  const earlier = await takeKey(tx, request, { now, ...keeper, isGivenUp: givenUp.has });
  const holdId = holdOf(request);
  if (earlier !== undefined || holdId === undefined) return earlier;

  const { accountId } = request.caller;
  const key = reservingKeyOf(request.caller);
  const reserved = await reserve(tx, { accountId, key, holdId, credits: 1, ifAvailable: 1, keeper, now });
  if (reserved.kind === 'reserved') return undefined;
  await freeKey(tx, request);
  return reserved;
}

/** A hold is named after its request; the sandbox costs nothing and holds none. */
function holdOf({ requestId, caller: { mode } }: VerifyOneRequest): string | undefined {
  return mode === 'live' ? requestId : undefined;
}

async function probe(
  { caller, address: { email }, isFresh, signal }: VerifyOneRequest,
  parts: VerifyOneParts & { deadline: number },
): Promise<Outcome | { kind: 'timeout' }> {
  const patience = { deadline: parts.deadline, signal };
  const asker = { urgency: 'single', account: caller.accountId } as const;
  if (caller.mode === 'test') return parts.sandbox.verify(email, { ...patience, asker });
  const slot = await parts.slots.take(asker, patience);
  if (slot.kind === 'timeout') return slot;
  try {
    return await parts.engine.verify(email, { ...patience, asker, isFresh });
  } finally {
    slot.release();
  }
}

async function conclude(tx: Tx, step: Step, probed: Outcome | { kind: 'timeout' }): Promise<VerifyOneAnswer> {
  const { request, now, expiresAt } = step;
  // Too late, it must not be charged: another attempt with the same key may be, since. How late the commit is nobody
  // knows yet, so the key is asked for once more below.
  const outcome = now < expiresAt ? probed : ({ kind: 'timeout' } as const);
  switch (outcome.kind) {
    case 'verdict': {
      const { verdict, explanation } = outcome;
      const charge = conclusiveStatuses.has(verdict.status) && holdOf(request) !== undefined ? 1 : 0;
      const answer: Kept = { kind: 'verified', verdict, explanation, creditsUsed: charge };
      const isKept = await keepAnswer(tx, request, { answer, now });
      if (isKept && (await close(tx, step, charge))) return { ...answer, replayed: false };
      await (isKept ? withdrawAnswer(tx, request) : close(tx, step, 0));
      return { kind: 'timeout' };
    }
    case 'timeout':
    case 'unavailable':
      await giveUp(tx, step);
      return { kind: outcome.kind };
    case 'invalid_address':
      throw new Error('the engine refused an address that the route had let in');
  }
}

/** `false` where the sweeper came first: then nothing was charged and nothing may be told. */
async function close(tx: Tx, { request, now }: Step, charge: 0 | 1): Promise<boolean> {
  const holdId = holdOf(request);
  if (holdId === undefined) return true;
  const settled = await settle(tx, { accountId: request.caller.accountId, holdId, charge, now });
  return settled.kind === 'settled';
}

async function giveUp(tx: Tx, step: Step): Promise<void> {
  await close(tx, step, 0);
  await freeKey(tx, step.request);
}
