import { sql } from 'kysely';
import { statement, type Tx } from '../../core/store/statement.ts';
import { webhookLimits } from './webhook-limits.ts';

/**
 * The refusal of a message that no event caused: a test, or a repetition. Any public host can be named as an endpoint.
 * Without a limit, the service would flood it for any account.
 *
 * Every send takes the average time between two sends. `account.webhook_sends_at` is the time up to which all sends are
 * accounted for; it may be ahead of now by a limited time. It is in the account's row, so it holds over all processes,
 * and deleting an endpoint does not reset it.
 */
export type SendsUsedUp = { kind: 'sends_used_up'; retryAfterSeconds: number };

type Taking = { account: string; now: number; everyMs: number; until: number };

/** Checks and takes in one statement. */
const take = statement((db, arg: Taking) =>
  db
    .updateTable('account')
    .set((eb) => ({
      webhook_sends_at: eb(
        eb
          .case()
          .when('webhook_sends_at', '>', arg.now)
          .then(eb.ref('webhook_sends_at'))
          .else(sql<number>`cast(${arg.now} as bigint)`)
          .end(),
        '+',
        sql<number>`cast(${arg.everyMs} as bigint)`,
      ),
    }))
    .where('id', '=', arg.account)
    .where('webhook_sends_at', '<=', arg.until),
);

const find = statement((db, arg: { account: string }) =>
  db.selectFrom('account').select('webhook_sends_at').where('id', '=', arg.account),
);

export async function takeSend(
  tx: Tx,
  { accountId: account, everyMs, now }: { accountId: string; everyMs: number; now: number },
): Promise<SendsUsedUp | undefined> {
  const until = now + webhookLimits.sendsAheadMs - everyMs;
  if ((await tx.change(take, { account, now, everyMs, until })) === 1) return undefined;
  const sendsAt = (await tx.first(find, { account }))?.webhook_sends_at ?? 0;
  return { kind: 'sends_used_up', retryAfterSeconds: Math.max(1, Math.ceil((sendsAt - until) / 1_000)) };
}
