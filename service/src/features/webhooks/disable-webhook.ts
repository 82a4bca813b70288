import { sql } from 'kysely';
import { recordChange, type Actor } from '../../core/ledger/record-change.ts';
import { statement, type Tx } from '../../core/store/statement.ts';
import { sumUpWantedEvents } from './wanted-events.ts';

type Disabling = {
  webhookId: string;
  accountId: string;
  because: 'owner' | 'gone' | 'failing';
  actor: Actor;
  now: number;
};

const writeDisabled = statement((db, arg: { webhook: string; because: Disabling['because']; now: number }) =>
  db
    .updateTable('webhook')
    .set({ enabled: 0, disabled_at: arg.now, disabled_because: arg.because })
    .where('id', '=', arg.webhook)
    .where('enabled', '=', 1),
);

const endPending = statement((db, arg: { webhook: string; now: number }) =>
  db
    .updateTable('webhook_delivery')
    .set({ state: 'failed', ended_at: arg.now, lease_owner: null, lease_until: 0 })
    .where('webhook_id', '=', arg.webhook)
    .where('state', '=', sql.lit('pending' as const)),
);

/**
 * Switches an endpoint off: no event is written for it any more, and what waits for it is given up; its owner may have
 * any of it sent again. Has the account as its serial key. `false` where it was off.
 */
export async function disableWebhook(tx: Tx, disabling: Disabling): Promise<boolean> {
  const { webhookId, accountId, because, actor, now } = disabling;
  if ((await tx.change(writeDisabled, { webhook: webhookId, because, now })) !== 1) return false;
  await giveUpPending(tx, webhookId, now);
  await sumUpWantedEvents(tx, accountId);
  const detail = { account_id: accountId, because };
  await recordChange(tx, { actor, action: 'webhook_disabled', subject: webhookId, detail, now });
  return true;
}

export async function giveUpPending(tx: Tx, webhookId: string, now: number): Promise<void> {
  await tx.change(endPending, { webhook: webhookId, now });
}
