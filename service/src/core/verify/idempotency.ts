import { statement, type Reader, type Tx } from '../store/statement.ts';

/**
 * The first answer to a request with an `Idempotency-Key`, kept per account for 24 hours.
 *
 *     (none) ──begin──▶ in_progress ──finish──▶ finished ──24 h──▶ (none)
 *                            └──────forget──────▶ (none)
 *
 * Only successful answers (2xx) are kept. An attempt that was refused, failed or timed out frees its key, so that a
 * retry with the same key can still succeed. That attempt cost nothing, so the retry charges nothing twice. If the
 * process of an attempt dies, the key is freed when the process is found dead, within ten seconds. The same key
 * with another body, or at the other endpoint, is a mistake of the client and is refused as such.
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

/** Tells whether a request with this key came before, with any body. */
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

/** Takes the key, or takes it over from an expired row. */
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
 * Takes the key. Call it only after `recall` returned `new` in the same transaction, and before any step that can
 * be refused. If two equal requests run side by side, the second finds the key taken here, throws, and runs again
 * after the first. A request that is refused later gives the key back with `forget`. `processId` is null for work
 * in one transaction, which others never see in progress.
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
 * Keeps the answer. Returns `false` if the attempt no longer has the key: its time was over, and another attempt
 * may have been charged since. Then this attempt must not be charged.
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

/** Undoes `finish` in the same transaction. */
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

/** Frees the key. A kept answer stays, even if its commit was reported as failed. */
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

/** Erases expired answers and attempts, at most `most`. */
export async function eraseExpiredAnswers(tx: Tx, now: number, most: number): Promise<number> {
  return tx.change(removeExpired, { now, limit: most });
}

/** Erases the attempts of a process that died. */
export async function eraseAttemptsOf(tx: Tx, processId: string): Promise<number> {
  return tx.change(removeOwned, { owner: processId });
}
