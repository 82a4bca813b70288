import { createHash } from 'node:crypto';
import type { PersonRole } from '@mailproof/client';
import type { Kysely } from 'kysely';
import { recordChange } from '../../core/ledger/record-change.ts';
import type { Schema } from '../../core/store/schema.ts';
import type { Store } from '../../core/store/store.ts';
import { statement, type Tx } from '../../core/store/statement.ts';
import type { WallClock } from '../../core/store/wall-clock.ts';
import type { Caller } from '../../core/keys/authenticate.ts';
import { noLimits, type CallerLimits, type Power } from '../../core/keys/key-limits.ts';
import type { Identity } from './oidc/create-provider.ts';
import { visitLifeMs, type ProviderVisit } from './oidc/provider-visit.ts';
import { acceptInvitation } from './invitations.ts';

/**
 * The outcome of a sign-in that the provider has confirmed. The visit is used up and an invitation is accepted. Then
 * the requested account opens, or the operator's pages, or the account opened last. A person without an account who is
 * not an operator is refused.
 */
export type RecogniseAnswer =
  | { kind: 'account'; caller: Caller }
  | { kind: 'operator'; name: string; subject: string }
  | { kind: 'visit_used' | 'invitation_not_found' | 'invitation_for_another' | 'not_invited' };

type RecogniseParts = {
  store: Pick<Store, 'read' | 'write' | 'writeAlone'>;
  wallClock: WallClock;
  operators: readonly string[];
};

export async function recogniseIdentity(
  identity: Identity,
  visit: ProviderVisit,
  parts: RecogniseParts,
): Promise<RecogniseAnswer> {
  if (!(await useVisit(visit, parts))) return { kind: 'visit_used' };
  const { invitation: token } = visit;
  if (token !== undefined) {
    const accepted = await acceptInvitation({ token, identity }, parts);
    return accepted.kind === 'accepted' ? openAccount(identity, accepted.accountId, parts) : accepted;
  }
  const name = operatorName(identity, parts.operators);
  if (visit.accountId === undefined && name !== undefined)
    return { kind: 'operator', name, subject: identity.subject };
  return openAccount(identity, visit.accountId, parts);
}

/**
 * Returns the entry of the operators' list that names the person. An email address counts only if the provider has
 * verified it.
 */
function operatorName({ subject, email }: Identity, operators: readonly string[]): string | undefined {
  return operators.find((entry) => entry === `sub:${subject}` || entry === email?.toLowerCase());
}

const insertUsed = statement((db, arg: { hash: string; expires: number }) =>
  db
    .insertInto('used_visit')
    .values({ state_hash: arg.hash, expires_at: arg.expires })
    .onConflict((conflict) => conflict.column('state_hash').doNothing()),
);

/** Ends the visit once, even if the provider hands out a code twice. */
async function useVisit({ state, startedAt }: ProviderVisit, { store }: RecogniseParts): Promise<boolean> {
  const hash = createHash('sha256').update(state).digest('hex');
  const expires = startedAt + visitLifeMs;
  return (await store.write((tx) => tx.change(insertUsed, { hash, expires }))) === 1;
}

type Sought = { issuer: string; subject: string };

function memberships(db: Kysely<Schema>, { issuer, subject }: Sought) {
  return db
    .selectFrom('person')
    .innerJoin('account', 'account.id', 'person.account_id')
    .select(['person.id', 'person.role', 'account.id as account_id', 'account.plan'])
    .where('person.issuer', '=', issuer)
    .where('person.subject', '=', subject);
}

const findMembershipIn = statement((db, arg: Sought & { account: string }) =>
  memberships(db, arg).where('person.account_id', '=', arg.account),
);

const findLastMembership = statement((db, arg: Sought) =>
  memberships(db, arg).orderBy('person.signed_in_at', 'desc').orderBy('person.id').limit(1),
);

type SignInNote = { id: string; email: string | null; name: string | null; now: number };

const noteSignIn = statement((db, arg: SignInNote) =>
  db
    .updateTable('person')
    .set({ email: arg.email, name: arg.name, signed_in_at: arg.now })
    .where('id', '=', arg.id),
);

async function openAccount(
  identity: Identity,
  account: string | undefined,
  { store, wallClock }: RecogniseParts,
): Promise<RecogniseAnswer> {
  const { issuer, subject, email = null, name = null } = identity;
  return store.write(async (tx: Tx): Promise<RecogniseAnswer> => {
    const row = await (account === undefined
      ? tx.first(findLastMembership, { issuer, subject })
      : tx.first(findMembershipIn, { issuer, subject, account }));
    if (row === undefined) return { kind: 'not_invited' };
    const { id: personId, role, account_id: accountId, plan } = row;
    const now = wallClock.now();
    await tx.change(noteSignIn, { id: personId, email, name, now });
    const detail = { account_id: accountId };
    const actor = `person:${personId}` as const;
    await recordChange(tx, { actor, action: 'person_signed_in', subject: personId, detail, now });
    return { kind: 'account', caller: personCaller({ accountId, personId, role, plan }) };
  });
}

type FoundPerson = {
  accountId: string;
  personId: string;
  role: PersonRole;
  plan: Caller['plan'];
  requestsPerMinute?: number | null;
};

/** Returns a person as the API's caller: without a key, live, with the limits of their role. */
export function personCaller({ personId, role, requestsPerMinute, ...rest }: FoundPerson): Caller {
  const limits = limitsOfRole(role);
  return {
    ...rest,
    keyId: null,
    person: { personId, role },
    mode: 'live',
    ...(limits === undefined ? {} : { limits }),
    ...(requestsPerMinute === null || requestsPerMinute === undefined ? {} : { requestsPerMinute }),
  };
}

/**
 * Powers of a role, in the same terms as the limits of keys: one place decides for both (keys/authenticate.ts). An
 * owner has no limits, and only that gives power over people and keys.
 */
const powersOfRole: Readonly<Record<PersonRole, readonly Power[] | null>> = {
  owner: null,
  member: ['verify', 'tasks', 'lists', 'account:read'],
  viewer: ['tasks:read', 'lists:read', 'account:read'],
};

/** Returns `undefined` if the role has no limits. */
function limitsOfRole(role: PersonRole): CallerLimits | undefined {
  const scopes = powersOfRole[role];
  return scopes === null ? undefined : { ...noLimits, scopes };
}

const deleteExpiredVisits = statement((db, arg: { now: number }) =>
  db.deleteFrom('used_visit').where('expires_at', '<=', arg.now),
);

/** Deletes expired visits for the sweep. They are refused earlier, used or not. */
export async function eraseExpiredVisits(tx: Tx, now: number): Promise<number> {
  return tx.change(deleteExpiredVisits, { now });
}
