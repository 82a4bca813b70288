import type { Explanation, Verdict } from '@mailproof/engine';
import type { Tx } from '../store/statement.ts';
import { begin, finish, forget, recall, withdraw, type IdempotentRequest } from './idempotency.ts';
import type { Caller } from '../keys/authenticate.ts';

/**
 * What an `Idempotency-Key` means to a single verification: the first answer is kept, and repeated to whoever asks
 * again. Without a key nothing here does anything.
 */
type KeyedRequest = {
  requestId: string;
  caller: Pick<Caller, 'accountId'>;
  idempotency: IdempotentRequest | undefined;
};

/** An answer that is kept under its key. */
export type Kept = { kind: 'verified'; verdict: Verdict; explanation: Explanation; creditsUsed: 0 | 1 };

/** The answer to a request with a key that was used before. */
type EarlierAnswer =
  (Kept & { replayed: boolean }) | { kind: 'request_in_progress' } | { kind: 'idempotency_mismatch' };

type KeyHolder = {
  now: number;
  processId: string;
  expiresAt: number;
  /** Whether this process has given up an attempt that the store still calls running. */
  isGivenUp: (attempt: string) => boolean;
};

/** Takes the key; or says what was answered before, or why there is no answer. */
export async function takeKey(
  tx: Tx,
  { requestId, caller, idempotency: request }: KeyedRequest,
  holder: KeyHolder,
): Promise<EarlierAnswer | undefined> {
  if (request === undefined) return undefined;
  const { accountId } = caller;
  const scope = { accountId, endpoint: 'verification' as const, request, now: holder.now };
  const earlier = await recall(tx, scope);
  switch (earlier.kind) {
    case 'answered':
      return { ...readAnswer(earlier.answer), replayed: true };
    case 'idempotency_mismatch':
      return earlier;
    case 'request_in_progress':
      if (!holder.isGivenUp(earlier.attempt)) return { kind: 'request_in_progress' };
      await forget(tx, { accountId, key: request.key, attempt: earlier.attempt });
      break;
    case 'new':
      break;
  }
  await begin(tx, { ...scope, ...holder, attempt: requestId });
  return undefined;
}

/** `false` where another attempt has the key by now: then this one must be neither told nor charged. */
export async function keepAnswer(
  tx: Tx,
  { requestId, caller: { accountId }, idempotency }: KeyedRequest,
  { answer, now }: { answer: Kept; now: number },
): Promise<boolean> {
  if (idempotency === undefined) return true;
  const text = JSON.stringify(answer);
  return finish(tx, { accountId, key: idempotency.key, attempt: requestId, answer: text, now });
}

/** Undoes `keepAnswer`, in the same transaction. */
export async function withdrawAnswer(
  tx: Tx,
  { requestId, caller: { accountId }, idempotency }: KeyedRequest,
): Promise<void> {
  if (idempotency !== undefined) await withdraw(tx, { accountId, key: idempotency.key, attempt: requestId });
}

/** An attempt that came to nothing lets the next one try. */
export async function freeKey(
  tx: Tx,
  { requestId, caller: { accountId }, idempotency }: KeyedRequest,
): Promise<void> {
  if (idempotency !== undefined) await forget(tx, { accountId, key: idempotency.key, attempt: requestId });
}

/** Only `keepAnswer` writes answers of this endpoint. */
function readAnswer(text: string): Kept {
  return JSON.parse(text) as Kept;
}
