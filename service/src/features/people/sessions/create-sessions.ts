import { randomBytes } from 'node:crypto';
import { createBoundedCache, type Clock } from '@mailproof/engine';
import type { PersonRole } from '@mailproof/client';
import { recordChange, type AuditDetail } from '../../../core/ledger/record-change.ts';
import type { Store } from '../../../core/store/store.ts';
import { statement, type Tx } from '../../../core/store/statement.ts';
import type { WallClock } from '../../../core/store/wall-clock.ts';
import { limitedCaller } from '../../../core/keys/authenticate.ts';
import type { LimitColumns } from '../../../core/keys/key-limits.ts';
import { personCaller } from '../recognise-identity.ts';
import type { AdminToken } from '../../../core/keys/admin-token.ts';
import { csrfTokenOf, hashSessionId, sessionIdShape, type Session, type Visitor } from './session.ts';

/**
 * The sessions of browsers. They are rows of the store, so that every process knows them, and end after 12 hours, at
 * sign-out, with the key they were opened with (its limits are theirs), when the person is removed (their role is
 * theirs), or when the admin token, the list of operators or the ways to sign in change.
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
  /** Who signs in as the operator with the provider. */
  operators?: readonly string[];
  keySignIn?: 'on' | 'off';
};

export const sessionLifeMs = 12 * 3_600_000;
/** A deleted key's sessions have to stop within a second, reading and answering included. */
const rememberMs = 900;
const rememberedSessions = 10_000;
/** When a key or a person opens more, the oldest session ends: signing in again and again must not fill the disk. */
const sessionsEach = 100;

type NewSession = {
  hash: string;
  key: string | null;
  mark: string | null;
  person: string | null;
  operator: string | null;
  now: number;
  expires: number;
};

const insertSession = statement((db, arg: NewSession) =>
  db.insertInto('session').values({
    id_hash: arg.hash,
    key_id: arg.key,
    token_mark: arg.mark,
    person_id: arg.person,
    operator_name: arg.operator,
    created_at: arg.now,
    expires_at: arg.expires,
  }),
);

const deleteOldestOf = (column: 'key_id' | 'person_id') =>
  statement((db, arg: { holder: string; kept: number }) =>
    db
      .deleteFrom('session')
      .where(column, '=', arg.holder)
      .where('id_hash', 'not in', (eb) =>
        eb
          .selectFrom('session as kept')
          .select('kept.id_hash')
          .where(`kept.${column}`, '=', arg.holder)
          .orderBy('kept.created_at', 'desc')
          .orderBy('kept.id_hash')
          .limit(arg.kept),
      ),
  );

const deleteOldestOfKey = deleteOldestOf('key_id');
const deleteOldestOfPerson = deleteOldestOf('person_id');

const findSession = statement((db, arg: { hash: string; now: number }) =>
  db
    .selectFrom('session')
    .leftJoin('api_key', (join) =>
      join
        .onRef('api_key.id', '=', 'session.key_id')
        .on('api_key.deleted_at', 'is', null)
        .on((eb) => eb.or([eb('api_key.expires_at', 'is', null), eb('api_key.expires_at', '>', arg.now)])),
    )
    .leftJoin('person', 'person.id', 'session.person_id')
    .leftJoin('account', (join) =>
      join.on((eb) => eb('account.id', '=', eb.fn.coalesce('api_key.account_id', 'person.account_id'))),
    )
    .select(['session.token_mark', 'api_key.id as key_id', 'api_key.mode'])
    .select(['session.operator_name', 'person.id as person_id', 'person.role'])
    .select(['api_key.scopes', 'api_key.expires_at', 'api_key.allowed_ips', 'api_key.credits_per_day'])
    .select(['account.id as account_id', 'account.plan', 'account.requests_per_minute'])
    .where('session.id_hash', '=', arg.hash)
    .where('session.expires_at', '>', arg.now),
);

const deleteSession = statement((db, arg: { hash: string }) =>
  db.deleteFrom('session').where('id_hash', '=', arg.hash),
);

const operatorSignedIn = { actor: 'operator', action: 'operator_signed_in', subject: 'operator' } as const;

export function createSessions(parts: SessionsParts): Sessions {
  const { store, clock, wallClock, adminToken, operators = [], keySignIn = 'on' } = parts;
  const remembered = createBoundedCache<Session>({ clock, maxEntries: rememberedSessions });

  async function look(id: string): Promise<Session | undefined> {
    const row = await store.read.first(findSession, { hash: hashSessionId(id), now: wallClock.now() });
    const visitor = row && visitorOf(row, { mark: adminToken.markFor(id), operators, keySignIn });
    return visitor && { ...visitor, csrfToken: csrfTokenOf(id) };
  }

  return {
    open: async (visitor) => {
      const id = randomBytes(32).toString('base64url');
      const now = wallClock.now();
      const holder = holderOf(visitor, adminToken.markFor(id));
      const serialKey = visitor.kind === 'account' ? visitor.caller.accountId : undefined;
      await store.write(async (tx) => {
        const { key, person } = holder;
        const kept = sessionsEach - 1;
        if (key !== null) await tx.change(deleteOldestOfKey, { holder: key, kept });
        if (person !== null) await tx.change(deleteOldestOfPerson, { holder: person, kept });
        const row = { hash: hashSessionId(id), ...holder, now, expires: now + sessionLifeMs };
        await tx.change(insertSession, row);
        if (visitor.kind === 'operator')
          await recordChange(tx, { ...operatorSignedIn, detail: wayOf(visitor), now });
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

/** As the columns of `session` have it. */
function holderOf(visitor: Visitor, mark: string | undefined) {
  const none = { key: null, mark: null, person: null, operator: null };
  if (visitor.kind === 'operator')
    return visitor.name === undefined
      ? { ...none, mark: mark ?? '' }
      : { ...none, mark: '', operator: visitor.name };
  const { keyId, person } = visitor.caller;
  return person === undefined ? { ...none, key: keyId } : { ...none, mark: '', person: person.personId };
}

/** The log has no addresses; a subject is the provider's own name for somebody. */
function wayOf({ subject }: { subject?: string }): AuditDetail {
  return subject === undefined ? {} : { subject };
}

type SessionRow = LimitColumns & {
  token_mark: string | null;
  operator_name: string | null;
  person_id: string | null;
  role: PersonRole | null;
  key_id: string | null;
  mode: 'live' | 'test' | null;
  account_id: string | null;
  plan: 'paid' | 'none' | null;
  requests_per_minute: number | null;
};

type InForce = { mark: string | undefined; operators: readonly string[]; keySignIn: 'on' | 'off' };

function visitorOf(row: SessionRow, { mark, operators, keySignIn }: InForce): Visitor | undefined {
  const { account_id: accountId, key_id: keyId, person_id: personId, role, mode, plan } = row;
  const { operator_name: name, requests_per_minute: requestsPerMinute } = row;
  if (name !== null) return operators.includes(name) ? { kind: 'operator', name } : undefined;
  if (personId !== null && role !== null && accountId !== null && plan !== null)
    return { kind: 'account', caller: personCaller({ accountId, personId, role, plan, requestsPerMinute }) };
  if (keySignIn === 'off') return undefined;
  if (row.token_mark !== null) return row.token_mark === mark ? { kind: 'operator' } : undefined;
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
