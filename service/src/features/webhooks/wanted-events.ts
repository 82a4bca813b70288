import type { WantedEventType } from '@mailproof/client';
import { statement, type Tx } from '../../core/store/statement.ts';

/**
 * What the endpoints of an account that are on want to hear of, summed up in `account.wanted_events`. What moves credits
 * or completes a task reads it with the row that it changes anyway, so that an account without webhooks costs nothing.
 */
type WantedEvents = {
  events: WantedEventType[];
  /** The thresholds of those that want `credits.low`. */
  creditsLowAt: number[];
};

export function readWantedEvents(text: string | null): WantedEvents | undefined {
  // Only `sumUpWantedEvents` writes it.
  return text === null ? undefined : (JSON.parse(text) as WantedEvents);
}

const findEnabled = statement((db, arg: { account: string }) =>
  db
    .selectFrom('webhook')
    .select(['events', 'credits_low_at'])
    .where('account_id', '=', arg.account)
    .where('enabled', '=', 1)
    .where('deleted_at', 'is', null),
);

const writeWanted = statement((db, arg: { account: string; wanted: string | null }) =>
  db.updateTable('account').set({ wanted_events: arg.wanted }).where('id', '=', arg.account),
);

/** To be called in the transaction of every change of an endpoint, which has the account as its serial key. */
export async function sumUpWantedEvents(tx: Tx, accountId: string): Promise<void> {
  const endpoints = await tx.all(findEnabled, { account: accountId });
  const events = new Set(endpoints.flatMap((endpoint) => readEventTypes(endpoint.events)));
  const creditsLowAt = new Set(
    endpoints.flatMap(({ credits_low_at: mark }) => (mark === null ? [] : [mark])),
  );
  const wanted: WantedEvents = { events: [...events], creditsLowAt: [...creditsLowAt] };
  const text = events.size === 0 ? null : JSON.stringify(wanted);
  await tx.change(writeWanted, { account: accountId, wanted: text });
}

export function readEventTypes(text: string): WantedEventType[] {
  // Written by us, from a request that was checked.
  return JSON.parse(text) as WantedEventType[];
}
