import { randomUUID } from 'node:crypto';
import { multiRowInsert } from '../../core/store/multi-row-insert.ts';
import type { AccountEvent, Happened } from '../../core/store/happened.ts';
import { statement, type Tx } from '../../core/store/statement.ts';
import { timeOrderedId } from '../../core/store/time-ordered-id.ts';
import { readEventTypes, readWantedEvents } from './wanted-events.ts';
import { webhookLimits } from './webhook-limits.ts';

/**
 * The outbox: an event is written in the transaction that makes it true, once for each endpoint that wants it, and sent
 * afterwards by whoever leases it (see send-deliveries.ts). All of its deliveries have the same id, by which a receiver
 * knows what it has heard before.
 */
export async function writeHappened(tx: Tx, happened: Happened): Promise<void> {
  const { accountId } = happened;
  const { wanted = (await tx.first(findWanted, { account: accountId }))?.wanted_events ?? null } = happened;
  switch (happened.kind) {
    case 'event':
      return writeEvent(tx, { ...happened, wanted });
    case 'credits_fell':
      return writeLowCredits(tx, { ...happened, wanted });
    case 'credits_granted':
      return expectLowCredits(tx, { accountId, wanted });
  }
}

const findWanted = statement((db, arg: { account: string }) =>
  db.selectFrom('account').select('wanted_events').where('id', '=', arg.account),
);

const findEndpoints = statement((db, arg: { account: string }) =>
  db
    .selectFrom('webhook')
    .select(['id', 'events', 'credits_low_at'])
    .where('account_id', '=', arg.account)
    .where('enabled', '=', 1)
    .where('deleted_at', 'is', null),
);

type WantedEvent = { accountId: string; wanted: string | null; event: AccountEvent; now: number };

/** Writes nothing, and looks for no endpoint, if the account wants no such event. */
async function writeEvent(tx: Tx, { accountId, wanted, event, now }: WantedEvent): Promise<void> {
  const isWanted = (types: readonly string[] = []) => types.includes(event.type);
  if (!isWanted(readWantedEvents(wanted)?.events)) return;
  const endpoints = await tx.all(findEndpoints, { account: accountId });
  const wanting = endpoints.filter(({ events }) => isWanted(readEventTypes(events)));
  insertEvent(tx, { webhookIds: wanting.map(({ id }) => id), event, now });
}

const insertDeliveries = multiRowInsert('webhook_delivery', {
  columns: ['id', 'webhook_id', 'event_id', 'type', 'body', 'next_at', 'created_at'],
  constants: { state: 'pending', attempts: 0, attempt_log: '[]', fence: 0, lease_until: 0 },
});

/** Answers with the ids of the deliveries, in the order of the endpoints. */
export function insertEvent(
  tx: Tx,
  { webhookIds, event, now }: { webhookIds: string[]; event: AccountEvent; now: number },
): string[] {
  return insertMessage(tx, { webhookIds, message: messageOf(event, now), now });
}

export type Message = { eventId: string; type: string; body: string };

/** What is sent of an event, under an id of its own. */
export function messageOf({ type, data }: AccountEvent, now: number): Message {
  const body = JSON.stringify({ type, timestamp: new Date(now).toISOString(), data });
  return { eventId: `msg_${randomUUID()}`, type, body };
}

/** A message that there may have been before: sent again it keeps its id. */
export function insertMessage(
  tx: Tx,
  { webhookIds, message, now }: { webhookIds: string[]; message: Message; now: number },
): string[] {
  const { eventId, type, body } = message;
  const rows = webhookIds.map((webhookId) => ({
    id: timeOrderedId(now),
    webhook_id: webhookId,
    event_id: eventId,
    type,
    body,
    next_at: now,
    created_at: now,
  }));
  insertDeliveries(tx, rows);
  return rows.map(({ id }) => id);
}

const noteTold = statement((db, arg: { webhook: string; now: number; before: number }) =>
  db
    .updateTable('webhook')
    .set({ low_told_at: arg.now })
    .where('id', '=', arg.webhook)
    .where((eb) => eb.or([eb('low_told_at', 'is', null), eb('low_told_at', '<=', arg.before)])),
);

type Fall = {
  accountId: string;
  wanted: string | null;
  /** What was available before and after, as the debit itself says. */
  from: number;
  to: number;
  now: number;
};

/**
 * Tells the endpoints whose threshold the available credits have just fallen below. What is reserved and released again
 * may cross it many times: an endpoint hears of it once an hour at most, or again after a grant.
 */
async function writeLowCredits(tx: Tx, { accountId, wanted, from, to, now }: Fall): Promise<void> {
  const marks = readWantedEvents(wanted)?.creditsLowAt.filter((mark) => to < mark && mark <= from) ?? [];
  if (marks.length === 0) return;
  for (const { id, credits_low_at: mark } of await tx.all(findEndpoints, { account: accountId })) {
    if (mark === null || !marks.includes(mark)) continue;
    const told = await tx.change(noteTold, {
      webhook: id,
      now,
      before: now - webhookLimits.lowCreditsAgainMs,
    });
    const event = { type: 'credits.low', data: { available: to, credits_low_at: mark } } as const;
    if (told === 1) insertEvent(tx, { webhookIds: [id], event, now });
  }
}

const forgetTold = statement((db, arg: { account: string }) =>
  db
    .updateTable('webhook')
    .set({ low_told_at: null })
    .where('account_id', '=', arg.account)
    .where('low_told_at', 'is not', null),
);

/** Credits were granted: when they run low the next time, it is news. */
async function expectLowCredits(
  tx: Tx,
  { accountId, wanted }: { accountId: string; wanted: string | null },
): Promise<void> {
  if (wanted !== null) await tx.change(forgetTold, { account: accountId });
}
