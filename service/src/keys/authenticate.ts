import { timingSafeEqual } from 'node:crypto';
import type { Clock } from '@mailproof/engine';
import { statement } from '../db/statement.ts';
import type { Store } from '../db/store.ts';
import { hashSecret, readApiKey } from './api-key.ts';

/** Who sends a request. */
export type Caller = { accountId: string; keyId: string; mode: 'live' | 'test'; plan: 'paid' | 'none' };

type Authenticate = (authorization: string | undefined) => Promise<Caller | undefined>;

type AuthenticateParts = { store: Pick<Store, 'read'>; clock: Pick<Clock, 'now'> };

type KnownKey = { caller: Caller; secretHash: Buffer };

/** A deleted key has to stop within a second, reading and answering included. */
const rememberMs = 900;
const rememberedKeys = 10_000;

const findKey = statement((db, arg: { id: string }) =>
  db
    .selectFrom('api_key')
    .innerJoin('account', 'account.id', 'api_key.account_id')
    .select(['account.id as account_id', 'account.plan', 'api_key.mode', 'api_key.secret_hash'])
    .where('api_key.id', '=', arg.id)
    .where('api_key.deleted_at', 'is', null),
);

/** Compared with where the id is unknown, so that it takes as long as a wrong secret does. */
const nobody = Buffer.alloc(32);

/**
 * Reads `Authorization: Bearer <key>`. There is one answer, `undefined`, for a key that is missing, malformed,
 * unknown or deleted, and it does not tell which by its timing. What was read of a key is
 * remembered for less than a second.
 */
export function createAuthenticate({ store, clock }: AuthenticateParts): Authenticate {
  const remembered = new Map<string, { key: KnownKey; until: number }>();

  async function look(id: string): Promise<KnownKey | undefined> {
    const now = clock.now();
    const known = remembered.get(id);
    if (known !== undefined && now < known.until) return known.key;
    remembered.delete(id);
    const row = await store.read.first(findKey, { id });
    if (row === undefined) return undefined;
    const caller = { accountId: row.account_id, keyId: id, mode: row.mode, plan: row.plan };
    const key = { caller, secretHash: Buffer.from(row.secret_hash, 'hex') };
    if (remembered.size >= rememberedKeys) forgetOldest(remembered);
    remembered.set(id, { key, until: now + rememberMs });
    return key;
  }

  return async (authorization) => {
    const [, text] = /^bearer +(\S{1,200}) *$/i.exec(authorization ?? '') ?? [];
    const presented = text === undefined ? undefined : readApiKey(text);
    if (presented === undefined) return undefined;
    const key = await look(presented.id);
    const same = timingSafeEqual(hashSecret(presented.secret), key?.secretHash ?? nobody);
    return same && key?.caller.mode === presented.mode ? key.caller : undefined;
  };
}

function forgetOldest(remembered: Map<string, unknown>): void {
  const [oldest] = remembered.keys();
  if (oldest !== undefined) remembered.delete(oldest);
}
