import { sql } from 'kysely';
import { statement, type Reader, type Tx } from '../../core/store/statement.ts';
import type { Receiver } from './delivery-places.ts';
import { webhookLimits } from './webhook-limits.ts';

/**
 * A process's right to send a delivery: it lasts until the lease ends, and every claim has a higher fence than the one
 * before. What came of an attempt is written under its fence and has no effect when another claim was made since, so that
 * a process that was stopped and continued cannot undo what its successor wrote. Both may have sent: a message arrives
 * at least once.
 */
export type DeliveryClaim = {
  deliveryId: string;
  webhookId: string;
  accountId: string;
  fence: number;
  eventId: string;
  body: string;
  /** A message that its owner has sent to see whether it arrives. */
  isTest: boolean;
  /** What came of the attempts so far, in JSON. */
  attemptLog: string;
};

/** An endpoint that something is due for. */
export type DueWebhook = Receiver;

const pending = sql.lit('pending' as const);

/** The type of a message that is sent because its owner asked for one. */
export const testType = 'webhook.test';

const findDueWebhooks = statement((db, arg: { now: number }) =>
  db
    .selectFrom('webhook_delivery')
    .innerJoin('webhook', 'webhook.id', 'webhook_delivery.webhook_id')
    .select(['webhook.id', 'webhook.account_id', 'webhook.url', 'webhook.timed_out_at'])
    .distinct()
    .where('webhook_delivery.state', '=', pending)
    .where('webhook_delivery.next_at', '<=', arg.now)
    .where('webhook_delivery.lease_until', '<=', arg.now),
);

export async function readDueWebhooks(reader: Reader, now: number): Promise<DueWebhook[]> {
  const rows = await reader.all(findDueWebhooks, { now });
  return rows.map(({ id, account_id, url, timed_out_at }) => ({
    webhookId: id,
    accountId: account_id,
    host: new URL(url).hostname,
    hangs: timed_out_at !== null,
  }));
}

const findDue = statement((db, arg: { webhook: string; now: number }) =>
  db
    .selectFrom('webhook_delivery')
    .select('id')
    .where('webhook_id', '=', arg.webhook)
    .where('state', '=', pending)
    .where('next_at', '<=', arg.now)
    .where('lease_until', '<=', arg.now)
    .orderBy('next_at')
    .limit(1)
    // Where many claim at once, each takes another.
    .forUpdate()
    .skipLocked(),
);

const takeLease = statement((db, arg: { delivery: string; owner: string; until: number; now: number }) =>
  db
    .updateTable('webhook_delivery')
    .set((eb) => ({ fence: eb('fence', '+', eb.lit(1)), lease_owner: arg.owner, lease_until: arg.until }))
    .where('id', '=', arg.delivery)
    .where('state', '=', pending)
    .where('lease_until', '<=', arg.now)
    .returning(['fence', 'event_id', 'type', 'body', 'attempt_log']),
);

type Claiming = Pick<DueWebhook, 'webhookId' | 'accountId'> & { processId: string; now: number };

/** Claims what has been due to an endpoint for longest; `undefined` where nothing is any more. */
export async function claimDelivery(
  tx: Tx,
  { webhookId, accountId, processId, now }: Claiming,
): Promise<DeliveryClaim | undefined> {
  const due = await tx.first(findDue, { webhook: webhookId, now });
  if (due === undefined) return undefined;
  const until = now + webhookLimits.leaseMs;
  const row = await tx.first(takeLease, { delivery: due.id, owner: processId, until, now });
  return (
    row && {
      deliveryId: due.id,
      webhookId,
      accountId,
      fence: row.fence,
      eventId: row.event_id,
      body: row.body,
      isTest: row.type === testType,
      attemptLog: row.attempt_log,
    }
  );
}

const endLease = statement((db, arg: { delivery: string; fence: number }) =>
  db
    .updateTable('webhook_delivery')
    .set({ lease_owner: null, lease_until: 0 })
    .where('id', '=', arg.delivery)
    .where('fence', '=', arg.fence)
    .where('state', '=', pending),
);

/** Puts a delivery back whose attempt was broken off. */
export async function releaseDelivery(tx: Tx, { deliveryId, fence }: DeliveryClaim): Promise<void> {
  await tx.change(endLease, { delivery: deliveryId, fence });
}

const endLeasesOf = statement((db, arg: { owner: string }) =>
  db
    .updateTable('webhook_delivery')
    .set({ lease_owner: null, lease_until: 0 })
    .where('state', '=', pending)
    .where('lease_owner', '=', arg.owner),
);

/** A process was found dead: what it was sending need not wait for the end of its leases. */
export async function releaseDeliveriesOf(tx: Tx, processId: string): Promise<number> {
  return tx.change(endLeasesOf, { owner: processId });
}
