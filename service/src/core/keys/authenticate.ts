import { hash, timingSafeEqual } from 'node:crypto';
import { createBoundedCache, type Clock } from '@mailproof/engine';
import type { ReservingKey } from '../ledger/daily-cap.ts';
import { statement } from '../store/statement.ts';
import type { Store } from '../store/store.ts';
import type { WallClock } from '../store/wall-clock.ts';
import { hashSecret, readApiKey } from './api-key.ts';
import type { KeyUses } from './note-key-uses.ts';
import type { Actor } from '../ledger/record-change.ts';
import {
  allowsPower,
  isLimited,
  limitsOf,
  type CallerLimits,
  type LimitColumns,
  type Power,
} from './key-limits.ts';
import { readBearer } from './read-bearer.ts';

/** Who sends a request. */
export type Caller = {
  accountId: string;
  /** Null where a person has signed in with the OpenID provider. */
  keyId: string | null;
  person?: { personId: string; role: 'owner' | 'member' | 'viewer' };
  mode: 'live' | 'test';
  plan: 'paid' | 'none';
  /** What the key, or the person by their role, is limited to, where they are. */
  limits?: CallerLimits;
  /** What the operator allows the account, where that is not what the setting says. */
  requestsPerMinute?: number;
};

/** Answers at once if the same header was valid a moment ago. */
export type Authenticate = (
  authorization: string | undefined,
) => Caller | undefined | Promise<Caller | undefined>;

type AuthenticateParts = {
  store: Pick<Store, 'read'>;
  clock: Pick<Clock, 'now'>;
  wallClock: WallClock;
  /** Told of a key with the day that it is known to have been used last. */
  noteUse: KeyUses['noteUse'];
};

/** A deleted key has to stop within a second, reading and answering included. */
const rememberMs = 900;
const rememberedKeys = 10_000;

const findKey = statement((db, arg: { id: string }) =>
  db
    .selectFrom('api_key')
    .innerJoin('account', 'account.id', 'api_key.account_id')
    .select(['account.id as account_id', 'account.plan', 'api_key.mode', 'api_key.secret_hash'])
    .select(['api_key.scopes', 'api_key.expires_at', 'api_key.allowed_ips', 'api_key.credits_per_day'])
    .select(['api_key.last_used_day', 'account.requests_per_minute'])
    .where('api_key.id', '=', arg.id)
    .where('api_key.deleted_at', 'is', null),
);

/** Compared with when the id is unknown, so that it takes as long as a wrong secret does. */
const noSecret = Buffer.alloc(32);

/**
 * Reads `Authorization: Bearer <key>`. There is one answer, `undefined`, for a key that is missing, malformed,
 * unknown, deleted or expired, and its timing does not reveal which. A valid header is remembered for less than a second,
 * by its hash: looking up a hash reveals nothing of the text it was made from.
 */
export function createAuthenticate(parts: AuthenticateParts): Authenticate {
  const { store, clock, wallClock } = parts;
  const remembered = createBoundedCache<Caller>({ clock, maxEntries: rememberedKeys });
  const looking = new Map<string, Promise<Caller | undefined>>();

  async function look(authorization: string): Promise<Caller | undefined> {
    const text = readBearer(authorization, 200);
    const presented = text === undefined ? undefined : readApiKey(text);
    if (presented === undefined) return undefined;
    const { id } = presented;
    const row = await store.read.first(findKey, { id });
    const kept = row === undefined ? noSecret : Buffer.from(row.secret_hash, 'hex');
    const same = timingSafeEqual(hashSecret(presented.secret), kept);
    if (row === undefined || !same || row.mode !== presented.mode) return undefined;
    if (row.expires_at !== null && row.expires_at <= wallClock.now()) return undefined;
    parts.noteUse(id, row.last_used_day);
    const { account_id: accountId, mode, plan } = row;
    return limitedCaller({ accountId, keyId: id, mode, plan }, row);
  }

  async function lookAndRemember(authorization: string, digest: string): Promise<Caller | undefined> {
    // What is read now may be deleted now: the second runs from before the reading.
    const until = clock.now() + rememberMs;
    const caller = await look(authorization);
    if (caller !== undefined)
      remembered.set(digest, caller, Math.min(until - clock.now(), msToExpiry(caller, wallClock)));
    return caller;
  }

  /** Requests that come together with one key share one look: after an outage all clients come together. */
  function lookOnce(authorization: string, digest: string): Promise<Caller | undefined> {
    const pending = looking.get(digest);
    if (pending !== undefined) return pending;
    const look = lookAndRemember(authorization, digest).finally(() => looking.delete(digest));
    looking.set(digest, look);
    return look;
  }

  return (authorization) => {
    if (authorization === undefined) return undefined;
    const digest = hash('sha256', authorization);
    return remembered.peek(digest) ?? lookOnce(authorization, digest);
  };
}

/** A caller without limits has none at all, so that nothing more is asked of it. */
export function limitedCaller(
  caller: Omit<Caller, 'limits' | 'requestsPerMinute'>,
  row: LimitColumns & { requests_per_minute: number | null },
): Caller {
  const limits = limitsOf(row);
  const { requests_per_minute: requestsPerMinute } = row;
  return {
    ...caller,
    ...(isLimited(limits) ? { limits } : {}),
    ...(requestsPerMinute === null ? {} : { requestsPerMinute }),
  };
}

/** The one place where it is decided what a caller may do. */
export function mayUse({ limits, mode }: Caller, power: Power): boolean {
  // Whoever is limited in any way could invite himself as somebody who is not.
  if (power === 'people') return limits === undefined && mode === 'live';
  return limits === undefined || allowsPower(limits, power);
}

/** Who it is in the audit log. */
export function actorOf({ keyId, person }: Pick<Caller, 'keyId' | 'person'>): Actor {
  return person === undefined ? `key:${keyId ?? ''}` : `person:${person.personId}`;
}

/** What the caller reserves credits as. */
export function reservingKeyOf({ keyId, limits }: Pick<Caller, 'keyId' | 'limits'>): ReservingKey {
  return keyId === null
    ? { id: null, capped: false }
    : { id: keyId, capped: (limits?.creditsPerDay ?? null) !== null };
}

function msToExpiry({ limits }: Caller, wallClock: WallClock): number {
  const at = limits?.expiresAt ?? null;
  return at === null ? Infinity : at - wallClock.now();
}
