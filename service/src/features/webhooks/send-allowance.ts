import { sql } from 'kysely';
import { statement, type Tx } from '../../core/store/statement.ts';
import { webhookLimits } from './webhook-limits.ts';

/**
 * How much an account may have sent that no event made: test messages, and messages once more. Any public host can be
 * named as an endpoint, so without a limit the service would send floods for whoever asks.
 *
 * Every send takes the time that lies between two of them on average. `account.webhook_sends_at` is up to when all of
 * them are accounted for; it may lie so far ahead of now and no further. It stands in the account's row, so that it
 * holds over all processes, and deleting an endpoint gives nothing back.
 */
export type SendsUsedUp = { kind: 'sends_used_up'; retryAfterSeconds: number };

type Taking = { account: string; now: number; everyMs: number; until: number };

/** The check and the taking are one statement. */
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
