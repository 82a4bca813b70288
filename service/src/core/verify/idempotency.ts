import { statement, type Reader, type Tx } from '../store/statement.ts';

/**
 * Remembers the first answer to a request that carries an `Idempotency-Key`, per account and for 24 hours.
 *
 *     (none) ──begin──▶ in_progress ──finish──▶ finished ──24 h──▶ (none)
 *                            └──────forget──────▶ (none)
 *
 * Decided: only answers that succeeded (2xx) are kept. An attempt that was refused, failed or timed out frees
 * its key, so that the client's retry with the same key can still succeed; it cost nothing, so repeating it
 * charges nothing twice. An attempt whose process died frees its key when it is found dead, within ten seconds.
 * The same key with another body, or at the other endpoint, is a mistake of the client and is told so.
 *
 * Every step is part of the transaction that reserves, settles or creates.
 */
export type IdempotentRequest = { key: string; bodyHash: string };

type Endpoint = 'verification' | 'task';

type Scope = { accountId: string; endpoint: Endpoint; request: IdempotentRequest; now: number };

type EarlierAnswer =
  | { kind: 'new' }
  | { kind: 'answered'; answer: string }
  | { kind: 'request_in_progress'; attempt: string }
  | { kind: 'idempotency_mismatch' };

const keepMs = 24 * 3_600_000;

const find = statement((db, arg: { account: string; key: string; now: number }) =>
  db
    .selectFrom('idempotency')
    .select(['endpoint', 'body_hash', 'answer', 'attempt'])
    .where('account_id', '=', arg.account)
    .where('request_key', '=', arg.key)
    .where('expires_at', '>', arg.now),
);

export async function recall(tx: Tx, { accountId, endpoint, request, now }: Scope): Promise<EarlierAnswer> {
  const row = await tx.first(find, { account: accountId, key: request.key, now });
  if (row === undefined) return { kind: 'new' };
  if (row.endpoint !== endpoint || row.body_hash !== request.bodyHash)
    return { kind: 'idempotency_mismatch' };
  return row.answer === null
    ? { kind: 'request_in_progress', attempt: row.attempt }
    : { kind: 'answered', answer: row.answer };
}

/** Whether a request with this key came before, whatever its body was. */
export async function isKnownKey(
  reader: Reader,
  { accountId, key, now }: { accountId: string; key: string; now: number },
): Promise<boolean> {
  return (await reader.first(find, { account: accountId, key, now })) !== undefined;
}

type NewRow = {
  account: string;
  key: string;
  endpoint: Endpoint;
  hash: string;
  attempt: string;
  state: 'in_progress' | 'finished';
  answer: string | null;
  owner: string | null;
  expires: number;
  now: number;
};

/** Takes the key, or takes it over from a row whose time is over. */
const insert = statement((db, arg: NewRow) =>
  db
    .insertInto('idempotency')
    .values({
      account_id: arg.account,
      request_key: arg.key,
      endpoint: arg.endpoint,
      body_hash: arg.hash,
      attempt: arg.attempt,
      state: arg.state,
      answer: arg.answer,
      owner: arg.owner,
      expires_at: arg.expires,
    })
    .onConflict((conflict) =>
      conflict
        .columns(['account_id', 'request_key'])
        .doUpdateSet((eb) => ({
          endpoint: eb.ref('excluded.endpoint'),
          body_hash: eb.ref('excluded.body_hash'),
          attempt: eb.ref('excluded.attempt'),
          state: eb.ref('excluded.state'),
          answer: eb.ref('excluded.answer'),
          owner: eb.ref('excluded.owner'),
          expires_at: eb.ref('excluded.expires_at'),
        }))
        .where('idempotency.expires_at', '<=', arg.now),
    ),
);

/**
 * Only after `recall` said `new` in the same transaction, and before anything that could be refused: of two twins that
 * run side by side the second finds the key taken here, throws, and is run again after the first. A request that is
 * refused later on gives the key back with `forget`. `processId` is null for what is done in one transaction and is
 * never seen in progress by others.
 */
export async function begin(
  tx: Tx,
  scope: Scope & { attempt: string; processId: string | null; expiresAt: number },
): Promise<void> {
  const { attempt, processId, expiresAt } = scope;
  await take(tx, scope, {
    attempt,
    state: 'in_progress',
    answer: null,
    owner: processId,
    expires: expiresAt,
  });
}

type Taken = Pick<NewRow, 'attempt' | 'state' | 'answer' | 'owner' | 'expires'>;

async function take(tx: Tx, { accountId, endpoint, request, now }: Scope, taken: Taken): Promise<void> {
  const row = { account: accountId, key: request.key, endpoint, hash: request.bodyHash, now, ...taken };
  if ((await tx.change(insert, row)) !== 1) throw new Error('an idempotency key was taken by two requests');
}

const writeAnswer = statement(
  (db, arg: { account: string; key: string; attempt: string; answer: string; expires: number }) =>
    db
      .updateTable('idempotency')
      .set({ state: 'finished', answer: arg.answer, owner: null, expires_at: arg.expires })
      .where('account_id', '=', arg.account)
      .where('request_key', '=', arg.key)
      .where('attempt', '=', arg.attempt),
);

type AttemptKey = { accountId: string; key: string; attempt: string };

/**
 * `false` where the key is no longer the attempt's: its time was over when this was written, and another attempt may
 * have been charged since. What the attempt did must then not be charged.
 */
export async function finish(tx: Tx, ended: AttemptKey & { answer: string; now: number }): Promise<boolean> {
  const { accountId: account, key, attempt, answer, now } = ended;
  return (await tx.change(writeAnswer, { account, key, attempt, answer, expires: now + keepMs })) === 1;
}

const removeAttempt = statement((db, arg: { account: string; key: string; attempt: string }) =>
  db
    .deleteFrom('idempotency')
    .where('account_id', '=', arg.account)
    .where('request_key', '=', arg.key)
    .where('attempt', '=', arg.attempt),
);

/** Takes back what `finish` wrote in the same transaction. */
export async function withdraw(tx: Tx, { accountId: account, key, attempt }: AttemptKey): Promise<void> {
  await tx.change(removeAttempt, { account, key, attempt });
}

const remove = statement((db, arg: { account: string; key: string; attempt: string }) =>
  db
    .deleteFrom('idempotency')
    .where('account_id', '=', arg.account)
    .where('request_key', '=', arg.key)
    .where('attempt', '=', arg.attempt)
    .where('state', '=', 'in_progress'),
);

/** Frees the key. An answer that was kept stays, even if its commit was reported as failed. */
export async function forget(tx: Tx, { accountId: account, key, attempt }: AttemptKey): Promise<void> {
  await tx.change(remove, { account, key, attempt });
}

const removeExpired = statement((db, arg: { now: number; limit: number }) =>
  db.deleteFrom('idempotency').where(
    (eb) => eb.refTuple('account_id', 'request_key'),
    'in',
    (eb) =>
      eb
        .selectFrom('idempotency as old')
        .select(['old.account_id', 'old.request_key'])
        .where('old.expires_at', '<=', arg.now)
        .limit(arg.limit)
        .$asTuple('account_id', 'request_key'),
  ),
);

const removeOwned = statement((db, arg: { owner: string }) =>
  db.deleteFrom('idempotency').where('owner', '=', arg.owner),
);

/** Answers whose day is over, and attempts whose time is over; no more than so many. */
export async function eraseExpiredAnswers(tx: Tx, now: number, most: number): Promise<number> {
  return tx.change(removeExpired, { now, limit: most });
}

/** Attempts of a process that died. */
export async function eraseAttemptsOf(tx: Tx, processId: string): Promise<number> {
  return tx.change(removeOwned, { owner: processId });
}
