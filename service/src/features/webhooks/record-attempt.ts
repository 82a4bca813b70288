import { sql } from 'kysely';
import type { WebhookAttemptOutcome } from '@mailproof/client';
import { statement, type Tx } from '../../core/store/statement.ts';
import type { Store } from '../../core/store/store.ts';
import type { DeliveryClaim } from './claim-delivery.ts';
import { disableWebhook } from './disable-webhook.ts';
import { nextStep } from './next-step.ts';
import type { SendOutcome } from './send-request.ts';

/** What is kept of one attempt. */
export type Attempt = {
  at: number;
  durationMs: number;
  outcome: WebhookAttemptOutcome;
  status: number | null;
};

export function readAttempts(text: string): Attempt[] {
  // Only `recordAttempt` writes it.
  return JSON.parse(text) as Attempt[];
}

type Ended = {
  delivery: string;
  fence: number;
  state: 'pending' | 'delivered' | 'failed';
  attempts: number;
  log: string;
  response: string | null;
  next: number;
  ended: number | null;
};

const writeAttempt = statement((db, arg: Ended) =>
  db
    .updateTable('webhook_delivery')
    .set({
      state: arg.state,
      attempts: arg.attempts,
      attempt_log: arg.log,
      response: arg.response,
      next_at: arg.next,
      ended_at: arg.ended,
      lease_owner: null,
      lease_until: 0,
    })
    .where('id', '=', arg.delivery)
    .where('fence', '=', arg.fence)
    .where('state', '=', sql.lit('pending' as const)),
);

const noteSuccess = statement((db, arg: { webhook: string }) =>
  db
    .updateTable('webhook')
    .set({ failing_since: null, timed_out_at: null })
    .where('id', '=', arg.webhook)
    .where('failing_since', 'is not', null),
);

const noteFailure = statement((db, arg: { webhook: string; at: number }) =>
  db
    .updateTable('webhook')
    .set({ failing_since: arg.at })
    .where('id', '=', arg.webhook)
    .where('failing_since', 'is', null),
);

const noteTimeout = statement((db, arg: { webhook: string; at: number }) =>
  db
    .updateTable('webhook')
    .set({ timed_out_at: arg.at })
    .where('id', '=', arg.webhook)
    .where('timed_out_at', 'is', null),
);

const noteNoTimeout = statement((db, arg: { webhook: string }) =>
  db
    .updateTable('webhook')
    .set({ timed_out_at: null })
    .where('id', '=', arg.webhook)
    .where('timed_out_at', 'is not', null),
);

export function isTimeout(outcome: SendOutcome): boolean {
  return outcome.kind === 'failed' && outcome.why === 'timeout';
}

const findFailingSince = statement((db, arg: { webhook: string; at: number }) =>
  db.selectFrom('webhook').select('id').where('id', '=', arg.webhook).where('failing_since', '<=', arg.at),
);

type AttemptToRecord = {
  claim: DeliveryClaim;
  outcome: SendOutcome;
  startedAt: number;
  now: number;
  random: number;
};

type RecordAnswer = 'delivered' | 'retry' | 'failed' | 'stale_fence';

/**
 * Writes down what came of an attempt and decides what follows: delivered, tried again later, or given up. An endpoint
 * that answers 410 is disabled; so is one that used up all attempts of a delivery while nothing else got through. A test
 * message has few attempts and disables nothing.
 */
export async function recordAttempt(
  attempt: AttemptToRecord,
  { store }: { store: Pick<Store, 'write' | 'writeAlone'> },
): Promise<RecordAnswer> {
  const { claim, outcome, random } = attempt;
  const before = readAttempts(claim.attemptLog);
  const step = nextStep(outcome, { attempts: before.length + 1, random, isTest: claim.isTest });
  const log = [...before, entryOf(attempt)];
  const { state, next } = endOf(step, attempt.now);
  const write = async (tx: Tx): Promise<RecordAnswer> => {
    const written = await tx.change(writeAttempt, {
      delivery: claim.deliveryId,
      fence: claim.fence,
      state,
      attempts: log.length,
      log: JSON.stringify(log),
      response: outcome.kind === 'answered' ? outcome.response : null,
      next,
      ended: state === 'pending' ? null : attempt.now,
    });
    if (written !== 1) return 'stale_fence';
    if (step.kind === 'delivered') await tx.change(noteSuccess, { webhook: claim.webhookId });
    else await writeFailure(tx, attempt);
    if (step.kind === 'gone') await disable(tx, attempt, 'gone');
    if (step.kind === 'give_up' && !claim.isTest && (await failedAllTheTime(tx, claim, log)))
      await disable(tx, attempt, 'failing');
    return state === 'pending' ? 'retry' : state;
  };
  // To disable an endpoint changes what its account wants to hear of, which the account's other writes read.
  return step.kind === 'gone' || step.kind === 'give_up'
    ? store.writeAlone(write, claim.accountId)
    : store.write(write, `webhook ${claim.webhookId}`);
}

async function writeFailure(tx: Tx, { claim, outcome, startedAt: at }: AttemptToRecord): Promise<void> {
  const { webhookId: webhook } = claim;
  await tx.change(noteFailure, { webhook, at });
  if (isTimeout(outcome)) await tx.change(noteTimeout, { webhook, at });
  else await tx.change(noteNoTimeout, { webhook });
}

function endOf(step: ReturnType<typeof nextStep>, now: number): { state: Ended['state']; next: number } {
  switch (step.kind) {
    case 'delivered':
      return { state: 'delivered', next: now };
    case 'retry':
      return { state: 'pending', next: now + step.afterMs };
    case 'gone':
    case 'give_up':
      return { state: 'failed', next: now };
  }
}

function entryOf({ outcome, startedAt, now }: AttemptToRecord): Attempt {
  const time = { at: startedAt, durationMs: Math.max(0, now - startedAt) };
  if (outcome.kind === 'failed') return { ...time, outcome: outcome.why, status: null };
  const isSuccess = outcome.status >= 200 && outcome.status < 300;
  return { ...time, outcome: isSuccess ? 'delivered' : 'answered', status: outcome.status };
}

/** Nothing was delivered to the endpoint since the first attempt of this delivery. */
async function failedAllTheTime(tx: Tx, { webhookId }: DeliveryClaim, log: Attempt[]): Promise<boolean> {
  const first = log[0]?.at ?? 0;
  return (await tx.first(findFailingSince, { webhook: webhookId, at: first })) !== undefined;
}

function disable(tx: Tx, { claim, now }: AttemptToRecord, because: 'gone' | 'failing'): Promise<boolean> {
  const { webhookId, accountId } = claim;
  return disableWebhook(tx, { webhookId, accountId, because, actor: 'service', now });
}
