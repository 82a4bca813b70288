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
 * Probers outside the installation, and how the centre knows them.
 *
 *     added: a token, good once and for an hour ──▶ enrolled: a secret that the prober made itself ──▶ removed
 *
 * Of both only hashes are kept. They are random numbers of 256 bits, so a fast hash is right, and finding a row by one
 * tells nothing of what it was made from.
 */
const enrolmentMs = 3_600_000;

/** A name is part of the names of egress addresses, so it has no slash. */
const nameShape = /^[a-z\d][a-z\d.-]{0,39}$/;

const secretShape = /^mp_prober_[\w-]{43}$/;
const tokenShape = /^mp_enrol_[\w-]{43}$/;

export function makeProberSecret(): string {
  return `mp_prober_${randomBytes(32).toString('base64url')}`;
}

const hashOf = (text: string): string => hash('sha256', text, 'hex');

/** The names that a prober may have for its egress addresses. */
const egressShape = /^[\w.:-]{1,100}$/;
const mostEgress = 256;

/** What the operator gives a prober. */
export type ProberBounds = {
  /** Its egress addresses, by the names of its own routes. */
  egress: readonly string[];
  /** How many of a hundred addresses it may be asked about. */
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

/** The same prober may say it again, where the answer was lost; nobody else can use the token any more. */
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

/** Signs what a prober has filled the memory of the engines with. */
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
 * Removes a prober by its id or its name. Others may be asked for its probes at once, all that it told of hosts and domains
 * is forgotten, and its requests are refused within a second, everywhere.
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

/** A prober that sends a request, and what the operator gave it. */
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
  // One that was invited by an older version was given no names.
  const egress = given.length === 0 ? usualBounds.egress : given.map(({ name }) => name);
  return { ...found, egress };
}

/** One that was removed has to stop within a second, reading and answering included. */
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
    // What is read now may be removed now: the second runs from before the reading.
    const until = clock.now() + rememberMs;
    const found = await findProber(digest, store);
    if (found !== undefined) remembered.set(digest, found, until - clock.now());
    return found;
  };
}

/** `undefined` for what no prober can have made. */
export function secretIn(authorization: string | undefined): string | undefined {
  const text = readBearer(authorization, 100);
  return text !== undefined && secretShape.test(text) ? text : undefined;
}
