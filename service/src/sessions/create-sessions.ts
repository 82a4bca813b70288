import { randomBytes } from 'node:crypto';
import { createBoundedCache, type Clock } from '@mailproof/engine';
import { recordChange } from '../audit-log/record-change.ts';
import type { Store } from '../db/store.ts';
import { statement, type Tx } from '../db/statement.ts';
import type { WallClock } from '../db/wall-clock.ts';
import { limitedCaller } from '../keys/authenticate.ts';
import type { LimitColumns } from '../keys/key-limits.ts';
import type { AdminToken } from './admin-token.ts';
import { csrfTokenOf, hashSessionId, sessionIdShape, type Session, type Visitor } from './session.ts';

/**
 * The sessions of browsers. They are rows of the store, so that every process knows them, and end after 12 hours, at
 * sign-out, with the key they were opened with (its limits are theirs), or when the admin token changes.
 */
export type Sessions = {
  open(visitor: Visitor): Promise<OpenedSession>;
  /** By what the cookie holds. What was read is remembered for less than a second, as keys are. */
  find(id: string): Promise<Session | undefined>;
  /** In this process at once, in others within a second. */
  close(id: string): Promise<void>;
};

/** `id` goes into the cookie and nowhere else. */
export type OpenedSession = { id: string; session: Session };

type SessionsParts = {
  store: Pick<Store, 'read' | 'write'>;
  clock: Pick<Clock, 'now'>;
  wallClock: WallClock;
  adminToken: AdminToken;
};

export const sessionLifeMs = 12 * 3_600_000;
/** A deleted key's sessions have to stop within a second, reading and answering included. */
const rememberMs = 900;
const rememberedSessions = 10_000;
/** When a key opens more, its oldest session ends: signing in again and again must not fill the disk. */
const sessionsPerKey = 100;

type NewSession = { hash: string; key: string | null; mark: string | null; now: number; expires: number };

const insertSession = statement((db, arg: NewSession) =>
  db.insertInto('session').values({
    id_hash: arg.hash,
    key_id: arg.key,
    token_mark: arg.mark,
    created_at: arg.now,
    expires_at: arg.expires,
  }),
);

const deleteOldest = statement((db, arg: { key: string; kept: number }) =>
  db
    .deleteFrom('session')
    .where('key_id', '=', arg.key)
    .where('id_hash', 'not in', (eb) =>
      eb
        .selectFrom('session as kept')
        .select('kept.id_hash')
        .where('kept.key_id', '=', arg.key)
        .orderBy('kept.created_at', 'desc')
        .orderBy('kept.id_hash')
        .limit(arg.kept),
    ),
);

const findSession = statement((db, arg: { hash: string; now: number }) =>
  db
    .selectFrom('session')
    .leftJoin('api_key', (join) =>
      join
        .onRef('api_key.id', '=', 'session.key_id')
        .on('api_key.deleted_at', 'is', null)
        .on((eb) => eb.or([eb('api_key.expires_at', 'is', null), eb('api_key.expires_at', '>', arg.now)])),
    )
    .leftJoin('account', 'account.id', 'api_key.account_id')
    .select(['session.token_mark', 'api_key.id as key_id', 'api_key.mode'])
    .select(['api_key.scopes', 'api_key.expires_at', 'api_key.allowed_ips', 'api_key.credits_per_day'])
    .select(['account.id as account_id', 'account.plan', 'account.requests_per_minute'])
    .where('session.id_hash', '=', arg.hash)
    .where('session.expires_at', '>', arg.now),
);

const deleteSession = statement((db, arg: { hash: string }) =>
  db.deleteFrom('session').where('id_hash', '=', arg.hash),
);

const operatorSignedIn = {
  actor: 'operator',
  action: 'operator_signed_in',
  subject: 'operator',
  detail: {},
} as const;

export function createSessions(parts: SessionsParts): Sessions {
  const { store, clock, wallClock, adminToken } = parts;
  const remembered = createBoundedCache<Session>({ clock, maxEntries: rememberedSessions });

  async function look(id: string): Promise<Session | undefined> {
    const row = await store.read.first(findSession, { hash: hashSessionId(id), now: wallClock.now() });
    const visitor = row === undefined ? undefined : visitorOf(row, adminToken.markFor(id));
    return visitor && { ...visitor, csrfToken: csrfTokenOf(id) };
  }

  return {
    open: async (visitor) => {
      const id = randomBytes(32).toString('base64url');
      const now = wallClock.now();
      const key = visitor.kind === 'account' ? visitor.caller.keyId : null;
      const mark = visitor.kind === 'operator' ? (adminToken.markFor(id) ?? '') : null;
      const serialKey = visitor.kind === 'account' ? visitor.caller.accountId : undefined;
      await store.write(async (tx) => {
        if (key !== null) await tx.change(deleteOldest, { key, kept: sessionsPerKey - 1 });
        const row = { hash: hashSessionId(id), key, mark, now, expires: now + sessionLifeMs };
        await tx.change(insertSession, row);
        if (visitor.kind === 'operator') await recordChange(tx, { ...operatorSignedIn, now });
      }, serialKey);
      return { id, session: { ...visitor, csrfToken: csrfTokenOf(id) } };
    },
    find: async (id) => {
      if (!sessionIdShape.test(id)) return undefined;
      const known = remembered.get(id);
      if (known !== undefined) return known;
      // What is read now may end now: the second runs from before the reading.
      const until = clock.now() + rememberMs;
      const session = await look(id);
      if (session !== undefined) remembered.set(id, session, until - clock.now());
      return session;
    },
    close: async (id) => {
      await store.write((tx) => tx.change(deleteSession, { hash: hashSessionId(id) }));
      remembered.delete(id);
    },
  };
}

type SessionRow = LimitColumns & {
  token_mark: string | null;
  key_id: string | null;
  mode: 'live' | 'test' | null;
  account_id: string | null;
  plan: 'paid' | 'none' | null;
  requests_per_minute: number | null;
};

function visitorOf(row: SessionRow, mark: string | undefined): Visitor | undefined {
  if (row.token_mark !== null) return row.token_mark === mark ? { kind: 'operator' } : undefined;
  const { account_id: accountId, key_id: keyId, mode, plan } = row;
  if (accountId === null || keyId === null || mode === null || plan === null) return undefined;
  return { kind: 'account', caller: limitedCaller({ accountId, keyId, mode, plan }, row) };
}

const deleteExpired = statement((db, arg: { now: number }) =>
  db.deleteFrom('session').where('expires_at', '<=', arg.now),
);

/** For the sweep. An expired session does not count long before its row is deleted. */
export async function eraseExpiredSessions(tx: Tx, now: number): Promise<number> {
  return tx.change(deleteExpired, { now });
}
