import type { Schema } from '../store/schema.ts';
import { statement, type Tx } from '../store/statement.ts';
import type { Store } from '../store/store.ts';
import type { WallClock } from '../store/wall-clock.ts';

/**
 * Records who changed what: accounts, plans, grants, keys, freezing, and the operator's sign-ins. The functions
 * that make a change call this in the same transaction. So a change and its record always appear together, for
 * every kind of caller. The table refuses to change or delete a record.
 */
export type Actor =
  /** The holder of the admin token, or a person who signs in as the operator. */
  | 'operator'
  /** A user of the `mailproof` command on this machine. */
  | 'command_line'
  /** The service itself: the first account, books that do not balance. */
  | 'service'
  /** The holder of an API key. */
  | `key:${string}`
  /** A person who signed in with the OpenID provider. */
  | `person:${string}`;

/** The parts of a change: the store, the time, and the actor. */
export type ChangeParts = { store: Pick<Store, 'write'>; wallClock: WallClock; actor: Actor };

export type AuditAction = Schema['audit_log']['action'];

export type AuditDetail = Record<string, string | number>;

type Change = {
  actor: Actor;
  action: AuditAction;
  /** The id of the changed account or key; `operator` if the operator signed in or out. */
  subject: string;
  /** The new values. Never a key, a token or an address. */
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
