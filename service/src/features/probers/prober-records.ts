import { hash, randomBytes, timingSafeEqual } from 'node:crypto';
import { createBoundedCache, type Clock } from '@mailproof/engine';
import { recordChange, type ChangeParts } from '../../core/ledger/record-change.ts';
import { statement } from '../../core/store/statement.ts';
import type { Store } from '../../core/store/store.ts';
import type { WallClock } from '../../core/store/wall-clock.ts';
import { forgetFrom } from '../../core/verify/engine-state/keep-engine-memory.ts';
import { freeProbesOf } from './outside-egress.ts';
import { noteProberKind } from './who-may-ask.ts';
import { readBearer } from '../../core/keys/read-bearer.ts';

/**
 * Lifetime of an enrolment token. The centre knows outside probers in three stages:
 *
 *     added: a token, good once and for an hour ──▶ enrolled: a secret that the prober made itself ──▶ removed
 *
 * Only hashes of token and secret are stored. Both are random 256-bit numbers, so a fast hash suffices, and a lookup by
 * hash does not reveal them.
 */
const enrolmentMs = 3_600_000;

/** A name is a prefix of egress addresses, so it has no slash. */
const nameShape = /^[a-z\d][a-z\d.-]{0,39}$/;

const secretShape = /^mp_prober_[\w-]{43}$/;
const tokenShape = /^mp_enrol_[\w-]{43}$/;

export function makeProberSecret(): string {
  return `mp_prober_${randomBytes(32).toString('base64url')}`;
}

const hashOf = (text: string): string => hash('sha256', text, 'hex');

/** Allowed names for a prober's egress addresses. */
const egressShape = /^[\w.:-]{1,100}$/;
const mostEgress = 256;

/** Limits that the operator sets for a prober. */
export type ProberBounds = {
  /** Its egress addresses, by the names of its own routes. */
  egress: readonly string[];
  /** Percentage of addresses that it may be asked about. */
  share: number;
};

const usualBounds: ProberBounds = { egress: ['default'], share: 100 };

type NewProber = {
  id: string;
  name: string;
  hash: string;
  until: number;
  key: string;
  share: number;
  now: number;
};

const insertProber = statement((db, arg: NewProber) =>
  db
    .insertInto('prober')
    .values({
      id: arg.id,
      name: arg.name,
      token_hash: arg.hash,
      token_until: arg.until,
      tag_key: arg.key,
      share: arg.share,
      created_at: arg.now,
    })
    .onConflict((conflict) => conflict.column('name').doNothing()),
);

type AddProberAnswer =
  | { kind: 'added'; proberId: string; name: string; token: string }
  | { kind: 'bad_name' }
  | { kind: 'bad_egress' }
  | { kind: 'bad_share' }
  | { kind: 'name_taken' };

const giveEgress = statement((db, arg: { id: string; name: string }) =>
  db.insertInto('prober_egress').values({ prober_id: arg.id, name: arg.name }),
);

export async function addProber(
  name: string,
  { store, wallClock, actor }: ChangeParts,
  bounds: Partial<ProberBounds> = {},
): Promise<AddProberAnswer> {
  const { egress: given, share } = { ...usualBounds, ...bounds };
  const egress = [...new Set(given)];
  if (!nameShape.test(name)) return { kind: 'bad_name' };
  if (egress.length === 0 || egress.length > mostEgress || !egress.every((one) => egressShape.test(one)))
    return { kind: 'bad_egress' };
  if (!Number.isInteger(share) || share < 1 || share > 100) return { kind: 'bad_share' };
  const now = wallClock.now();
  const token = `mp_enrol_${randomBytes(32).toString('base64url')}`;
  const proberId = `prb_${randomBytes(8).toString('hex')}`;
  return store.write(async (tx) => {
    const row = {
      id: proberId,
      name,
      hash: hashOf(token),
      until: now + enrolmentMs,
      key: randomBytes(32).toString('hex'),
      share,
      now,
    };
    if ((await tx.change(insertProber, row)) === 0) return { kind: 'name_taken' };
    for (const one of egress) await tx.change(giveEgress, { id: proberId, name: one });
    const detail = { name, egress: egress.join(' '), share };
    await recordChange(tx, { actor, action: 'prober_added', subject: proberId, detail, now });
    return { kind: 'added', proberId, name, token };
  });
}

const findByToken = statement((db, arg: { hash: string; now: number }) =>
  db
    .selectFrom('prober')
    .select(['id', 'name', 'secret_hash'])
    .where('token_hash', '=', arg.hash)
    .where('token_until', '>', arg.now),
);

const setSecret = statement((db, arg: { id: string; hash: string; now: number }) =>
  db
    .updateTable('prober')
    .set({ secret_hash: arg.hash, enrolled_at: arg.now })
    .where('id', '=', arg.id)
    .where('secret_hash', 'is', null),
);

export type EnrolAnswer = { kind: 'enrolled'; proberId: string; name: string } | { kind: 'refused' };

/**
 * Enrols a prober. The same prober may repeat the request if the answer was lost; the token works for no other.
 */
export async function enrolProber(
  { token, secret }: { token: string; secret: string },
  { store, wallClock }: { store: Pick<Store, 'write'>; wallClock: WallClock },
): Promise<EnrolAnswer> {
  if (!tokenShape.test(token) || !secretShape.test(secret)) return { kind: 'refused' };
  const now = wallClock.now();
  const secretHash = hashOf(secret);
  return store.write(async (tx) => {
    const row = await tx.first(findByToken, { hash: hashOf(token), now });
    if (row === undefined) return { kind: 'refused' };
    const enrolled = { kind: 'enrolled', proberId: row.id, name: row.name } as const;
    if (row.secret_hash !== null) return isSame(row.secret_hash, secretHash) ? enrolled : { kind: 'refused' };
    if ((await tx.change(setSecret, { id: row.id, hash: secretHash, now })) === 0) return { kind: 'refused' };
    await noteProberKind(tx, 'outside', now);
    const detail = { name: row.name };
    await recordChange(tx, { actor: 'service', action: 'prober_enrolled', subject: row.id, detail, now });
    return enrolled;
  });
}

function isSame(one: string, other: string): boolean {
  return timingSafeEqual(Buffer.from(one, 'hex'), Buffer.from(other, 'hex'));
}

/** Returns the name under which a prober's facts are stored in the engines' memory. */
export function memoryWriterOf(proberId: string): string {
  return `prober:${proberId}`;
}

const deleteProber = statement((db, arg: { id: string }) =>
  db
    .deleteFrom('prober')
    .where((eb) => eb.or([eb('id', '=', arg.id), eb('name', '=', arg.id)]))
    .returning(['id', 'name']),
);

const dropEgress = statement((db, arg: { owner: string }) =>
  db.deleteFrom('egress_address').where('owner', '=', arg.owner),
);

const dropGiven = statement((db, arg: { id: string }) =>
  db.deleteFrom('prober_egress').where('prober_id', '=', arg.id),
);

type RemoveProberAnswer = { kind: 'removed'; proberId: string; name: string } | { kind: 'not_found' };

/**
 * Removes a prober by id or name. Its probes are free for others at once, and its facts about hosts and domains are
 * forgotten. Every process refuses its requests within a second.
 */
export async function removeProber(
  id: string,
  { store, wallClock, actor }: ChangeParts,
): Promise<RemoveProberAnswer> {
  const now = wallClock.now();
  return store.write(async (tx) => {
    const row = await tx.first(deleteProber, { id });
    if (row === undefined) return { kind: 'not_found' };
    await tx.change(dropEgress, { owner: row.id });
    await tx.change(dropGiven, { id: row.id });
    await freeProbesOf(tx, row.id);
    await forgetFrom(tx, { writer: memoryWriterOf(row.id), at: now });
    const detail = { name: row.name };
    await recordChange(tx, { actor, action: 'prober_removed', subject: row.id, detail, now });
    return { kind: 'removed', proberId: row.id, name: row.name };
  });
}

/** A prober that sends a request, with the operator's limits. */
export type KnownProber = ProberBounds & { id: string; name: string; tagKey: string };

const findBySecret = statement((db, arg: { hash: string }) =>
  db
    .selectFrom('prober')
    .select(['id', 'name', 'tag_key as tagKey', 'share'])
    .where('secret_hash', '=', arg.hash),
);

const findGiven = statement((db, arg: { id: string }) =>
  db.selectFrom('prober_egress').select('name').where('prober_id', '=', arg.id),
);

async function findProber(hash: string, store: Pick<Store, 'read'>): Promise<KnownProber | undefined> {
  const found = await store.read.first(findBySecret, { hash });
  if (found === undefined) return undefined;
  const given = await store.read.all(findGiven, { id: found.id });
  // Probers invited by an older version were given no names.
  const egress = given.length === 0 ? usualBounds.egress : given.map(({ name }) => name);
  return { ...found, egress };
}

/** A removed prober must be refused within a second, including the time to read and answer. */
const rememberMs = 900;
const mostRemembered = 1_000;

export type AuthenticateProber = (authorization: string | undefined) => Promise<KnownProber | undefined>;

export function createAuthenticateProber({
  store,
  clock,
}: {
  store: Pick<Store, 'read'>;
  clock: Pick<Clock, 'now'>;
}): AuthenticateProber {
  const remembered = createBoundedCache<KnownProber>({ clock, maxEntries: mostRemembered });
  return async (authorization) => {
    const secret = secretIn(authorization);
    if (secret === undefined) return undefined;
    const digest = hashOf(secret);
    const known = remembered.get(digest);
    if (known !== undefined) return known;
    // The row may be removed while it is read, so the second starts before the read.
    const until = clock.now() + rememberMs;
    const found = await findProber(digest, store);
    if (found !== undefined) remembered.set(digest, found, until - clock.now());
    return found;
  };
}

/** Returns `undefined` if no prober can have made the secret. */
export function secretIn(authorization: string | undefined): string | undefined {
  const text = readBearer(authorization, 100);
  return text !== undefined && secretShape.test(text) ? text : undefined;
}
