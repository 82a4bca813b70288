import type { WantedEventType } from '@mailproof/client';
import { statement, type Tx } from '../../core/store/statement.ts';

/**
 * The events that an account's enabled endpoints want, kept in `account.wanted_events`. Changes of credits or tasks
 * read it with a row that they update anyway. So an account without webhooks costs nothing.
 */
type WantedEvents = {
  events: WantedEventType[];
  /** Thresholds of the endpoints that want `credits.low`. */
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

/**
 * Updates the events that an account wants. Every change of an endpoint calls it in its transaction, with the account
 * as serial key.
 */
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
  // Written by us, from a checked request.
  return JSON.parse(text) as WantedEventType[];
}
