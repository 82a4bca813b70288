import type { WebhookEvent } from '@mailproof/client';

type Without<Union, Key extends string> = Union extends unknown ? Omit<Union, Key> : never;

/** An event of the API's contract, before it has its time. */
export type AccountEvent = Without<WebhookEvent, 'timestamp'>;

/**
 * News of an account, told in the transaction that makes it true (`tx.tell`). The store hands it to its listeners, so
 * the ledger and the tasks know none of them.
 */
export type Happened = {
  accountId: string;
  /** `account.wanted_events`, if it was read with the change itself. */
  wanted?: string | null;
  now: number;
} & (
  | { kind: 'event'; event: AccountEvent }
  /** Available credits before and after a debit. */
  | { kind: 'credits_fell'; from: number; to: number }
  | { kind: 'credits_granted' }
);
