import type { Schema } from '../store/schema.ts';
import { statement, type Tx } from '../store/statement.ts';
import type { Store } from '../store/store.ts';
import type { WallClock } from '../store/wall-clock.ts';

/**
 * Writes down who changed what: accounts, plans, grants, keys, freezing, and the operator's coming in. The
 * functions that make a change call this in the transaction of the change, so that neither is ever there without the
 * other, whichever door the change came through. The table refuses to change or delete what was written.
 */
export type Actor =
  /** Whoever holds the admin token, or signs in as the operator. */
  | 'operator'
  /** Whoever runs `mailproof` on this machine. */
  | 'command_line'
  /** The service by itself: the first account, books that do not balance. */
  | 'service'
  /** The holder of an API key. */
  | `key:${string}`
  /** Somebody who has signed in with the OpenID provider. */
  | `person:${string}`;

/** What a change is made with: the store, the time, and who makes it. */
export type ChangeParts = { store: Pick<Store, 'write'>; wallClock: WallClock; actor: Actor };

export type AuditAction = Schema['audit_log']['action'];

export type AuditDetail = Record<string, string | number>;

type Change = {
  actor: Actor;
  action: AuditAction;
  /** The id of the account or key that was changed; `operator` where the operator came or went. */
  subject: string;
  /** What it was changed to. Never a key, a token or an address. */
  detail: AuditDetail;
  now: number;
};

type Row = { actor: string; action: AuditAction; subject: string; detail: string; now: number };

const insertEntry = statement((db, arg: Row) =>
  db.insertInto('audit_log').values({
    at: arg.now,
    actor: arg.actor,
    action: arg.action,
    subject: arg.subject,
    detail: arg.detail,
  }),
);

export async function recordChange(tx: Tx, { detail, ...change }: Change): Promise<void> {
  await tx.change(insertEntry, { ...change, detail: JSON.stringify(detail) });
}
