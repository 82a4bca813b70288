import { sql } from 'kysely';
import { statement, type Tx } from '../../core/store/statement.ts';
import { testType } from './claim-delivery.ts';
import { webhookLimits } from './webhook-limits.ts';

/** What the sweep erases: deliveries whose time is over, deleted endpoints with all that was sent to them. */
export const deliveriesErasedAtOnce = 500;

const deleteExpired = statement((db, arg: { before: number; limit: number }) =>
  db.deleteFrom('webhook_delivery').where('id', 'in', (eb) =>
    eb
      .selectFrom('webhook_delivery')
      .select('id')
      .where('state', '<>', sql.lit('pending' as const))
      .where('ended_at', '<=', arg.before)
      .limit(arg.limit),
  ),
);

const deleteExpiredTests = statement((db, arg: { before: number; limit: number }) =>
  db.deleteFrom('webhook_delivery').where('id', 'in', (eb) =>
    eb
      .selectFrom('webhook_delivery')
      .select('id')
      .where('type', '=', sql.lit(testType))
      .where('state', '<>', sql.lit('pending' as const))
      .where('ended_at', '<=', arg.before)
      .limit(arg.limit),
  ),
);

const findDeleted = statement((db) =>
  db.selectFrom('webhook').select('id').where('deleted_at', 'is not', null).limit(1),
);

const deleteDeliveries = statement((db, arg: { webhook: string; limit: number }) =>
  db
    .deleteFrom('webhook_delivery')
    .where('id', 'in', (eb) =>
      eb.selectFrom('webhook_delivery').select('id').where('webhook_id', '=', arg.webhook).limit(arg.limit),
    ),
);

const deleteWebhook = statement((db, arg: { webhook: string }) =>
  db.deleteFrom('webhook').where('id', '=', arg.webhook),
);

/** One slice; says whether there was anything. */
export async function eraseWebhookSlice(tx: Tx, now: number, most: number): Promise<number> {
  const old = await tx.change(deleteExpired, { before: now - webhookLimits.keptMs, limit: most });
  const tests = { before: now - webhookLimits.testKeptMs, limit: most };
  const expired = old + (await tx.change(deleteExpiredTests, tests));
  const deleted = await tx.first(findDeleted, {});
  if (deleted === undefined) return expired;
  const erased = await tx.change(deleteDeliveries, { webhook: deleted.id, limit: most });
  if (erased < most) await tx.change(deleteWebhook, { webhook: deleted.id });
  return expired + 1;
}
