import { createHash, randomBytes, randomUUID } from 'node:crypto';
import type { PersonRole } from '@mailproof/client';
import { recordChange } from '../../core/ledger/record-change.ts';
import type { Store } from '../../core/store/store.ts';
import { statement, type Tx } from '../../core/store/statement.ts';
import type { WallClock } from '../../core/store/wall-clock.ts';
import type { Identity } from './oidc/create-provider.ts';
import { peopleKey, peopleLimitTable, type PeopleChangeParts } from './people.ts';

/**
 * Invitations by link. Whoever opens the link and signs in becomes one of the account's people: once, within seven days,
 * and with the address that was named, where one was. The link is shown once; the store has a hash of what it holds. An
 * invitation that was accepted or withdrawn is deleted, so that deleting its row is what decides who came first.
 */
export type Invitation = {
  invitationId: string;
  accountId: string;
  role: PersonRole;
  email: string | null;
  createdAt: number;
  expiresAt: number;
};

/** 256 random bits, written as base64url. */
const tokenShape = /^[\w-]{43}$/;

const hashToken = (token: string) => createHash('sha256').update(token).digest('hex');

const countPeople = statement((db, arg: { account: string }) =>
  db
    .selectFrom('person')
    .select((eb) => eb.fn.countAll<number>().as('people'))
    .where('account_id', '=', arg.account),
);

const countInvitations = statement((db, arg: { account: string; now: number }) =>
  db
    .selectFrom('invitation')
    .select((eb) => eb.fn.countAll<number>().as('open'))
    .where('account_id', '=', arg.account)
    .where('expires_at', '>', arg.now),
);

const findAccount = statement((db, arg: { account: string }) =>
  db.selectFrom('account').select('id').where('id', '=', arg.account),
);

type InvitationRow = {
  id: string;
  account: string;
  hash: string;
  role: PersonRole;
  email: string | null;
  now: number;
  expires: number;
};

const insertInvitation = statement((db, arg: InvitationRow) =>
  db.insertInto('invitation').values({
    id: arg.id,
    account_id: arg.account,
    token_hash: arg.hash,
    role: arg.role,
    email: arg.email,
    created_at: arg.now,
    expires_at: arg.expires,
  }),
);

export type InviteAnswer =
  /** `token` is what the link holds. It is told here and never again. */
  | { kind: 'invited'; invitation: Invitation; token: string }
  | { kind: 'too_many_people' }
  | { kind: 'account_not_found' };

export async function invite(
  { accountId, role, email }: { accountId: string; role: PersonRole; email: string | null },
  { store, wallClock, actor }: PeopleChangeParts,
): Promise<InviteAnswer> {
  const token = randomBytes(32).toString('base64url');
  return store.writeAlone(async (tx) => {
    const now = wallClock.now();
    if ((await tx.first(findAccount, { account: accountId })) === undefined)
      return { kind: 'account_not_found' };
    const invited = (await tx.first(countInvitations, { account: accountId, now }))?.open ?? 0;
    if (invited + (await peopleOf(tx, accountId)) >= peopleLimitTable.perAccount.value)
      return { kind: 'too_many_people' };
    const [id, expires] = [randomUUID(), now + peopleLimitTable.invitationMs.value];
    await tx.change(insertInvitation, {
      id,
      account: accountId,
      hash: hashToken(token),
      role,
      email,
      now,
      expires,
    });
    const detail = { account_id: accountId, role };
    await recordChange(tx, { actor, action: 'person_invited', subject: id, detail, now });
    const invitation = { invitationId: id, accountId, role, email, createdAt: now, expiresAt: expires };
    return { kind: 'invited', invitation, token };
  }, peopleKey(accountId));
}

async function peopleOf(tx: Tx, accountId: string): Promise<number> {
  return (await tx.first(countPeople, { account: accountId }))?.people ?? 0;
}

const findInvitations = statement((db, arg: { account: string; now: number }) =>
  db
    .selectFrom('invitation')
    .select(['id', 'role', 'email', 'created_at', 'expires_at'])
    .where('account_id', '=', arg.account)
    .where('expires_at', '>', arg.now)
    .orderBy('created_at')
    .orderBy('id'),
);

export async function listInvitations(
  accountId: string,
  { store, wallClock }: { store: Pick<Store, 'read'>; wallClock: WallClock },
): Promise<Invitation[]> {
  const rows = await store.read.all(findInvitations, { account: accountId, now: wallClock.now() });
  return rows.map((row) => ({
    invitationId: row.id,
    accountId,
    role: row.role,
    email: row.email,
    createdAt: row.created_at,
    expiresAt: row.expires_at,
  }));
}

const deleteInvitation = statement((db, arg: { id: string; account: string }) =>
  db.deleteFrom('invitation').where('id', '=', arg.id).where('account_id', '=', arg.account),
);

export type WithdrawAnswer = { kind: 'withdrawn' } | { kind: 'invitation_not_found' };

export async function withdrawInvitation(
  { accountId, invitationId }: { accountId: string; invitationId: string },
  { store, wallClock, actor }: PeopleChangeParts,
): Promise<WithdrawAnswer> {
  return store.writeAlone(async (tx) => {
    if ((await tx.change(deleteInvitation, { id: invitationId, account: accountId })) === 0)
      return { kind: 'invitation_not_found' };
    const detail = { account_id: accountId };
    const now = wallClock.now();
    await recordChange(tx, { actor, action: 'invitation_withdrawn', subject: invitationId, detail, now });
    return { kind: 'withdrawn' };
  }, peopleKey(accountId));
}

const findByToken = statement((db, arg: { hash: string; now: number }) =>
  db
    .selectFrom('invitation')
    .select(['id', 'account_id', 'role', 'email'])
    .where('token_hash', '=', arg.hash)
    .where('expires_at', '>', arg.now),
);

const findMember = statement((db, arg: { account: string; issuer: string; subject: string }) =>
  db
    .selectFrom('person')
    .select('id')
    .where('issuer', '=', arg.issuer)
    .where('subject', '=', arg.subject)
    .where('account_id', '=', arg.account),
);

type PersonRow = {
  id: string;
  account: string;
  issuer: string;
  subject: string;
  email: string | null;
  name: string | null;
  role: PersonRole;
  now: number;
};

const insertPerson = statement((db, arg: PersonRow) =>
  db.insertInto('person').values({
    id: arg.id,
    account_id: arg.account,
    issuer: arg.issuer,
    subject: arg.subject,
    email: arg.email,
    name: arg.name,
    role: arg.role,
    created_at: arg.now,
    signed_in_at: arg.now,
  }),
);

type AcceptAnswer =
  | { kind: 'accepted'; accountId: string }
  /** Used, withdrawn, expired, or never there: nobody learns which. */
  | { kind: 'invitation_not_found' }
  /** It is for another address than the one that the provider vouches for. It stays open. */
  | { kind: 'invitation_for_another' };

export async function acceptInvitation(
  { token, identity }: { token: string; identity: Identity },
  { store, wallClock }: { store: Pick<Store, 'read' | 'writeAlone'>; wallClock: WallClock },
): Promise<AcceptAnswer> {
  if (!tokenShape.test(token)) return { kind: 'invitation_not_found' };
  const hash = hashToken(token);
  const found = await store.read.first(findByToken, { hash, now: wallClock.now() });
  if (found === undefined) return { kind: 'invitation_not_found' };
  const { account_id: accountId, id: invitationId, role, email } = found;
  if (email !== null && email.toLowerCase() !== identity.email?.toLowerCase())
    return { kind: 'invitation_for_another' };
  const { issuer, subject } = identity;
  return store.writeAlone(async (tx): Promise<AcceptAnswer> => {
    const now = wallClock.now();
    // Whoever is there already keeps their role, and leaves the invitation to somebody else.
    if ((await tx.first(findMember, { account: accountId, issuer, subject })) !== undefined)
      return { kind: 'accepted', accountId };
    if ((await tx.change(deleteInvitation, { id: invitationId, account: accountId })) === 0)
      return { kind: 'invitation_not_found' };
    const id = randomUUID();
    const known = { email: identity.email ?? null, name: identity.name ?? null };
    await tx.change(insertPerson, { id, account: accountId, issuer, subject, ...known, role, now });
    const detail = { account_id: accountId, role, invitation_id: invitationId };
    await recordChange(tx, { actor: `person:${id}`, action: 'person_joined', subject: id, detail, now });
    return { kind: 'accepted', accountId };
  }, peopleKey(accountId));
}

const deleteExpired = statement((db, arg: { now: number }) =>
  db.deleteFrom('invitation').where('expires_at', '<=', arg.now),
);

/** For the sweep. An expired invitation does not count long before its row is deleted. */
export async function eraseExpiredInvitations(tx: Tx, now: number): Promise<number> {
  return tx.change(deleteExpired, { now });
}
