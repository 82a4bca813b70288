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
 * What becomes of somebody whom the provider vouches for: the visit is used up, an invitation is accepted, and the
 * account that was asked for is opened, or the operator's pages, or else the account that was opened last. Whoever is in
 * no account and is not the operator does not get in.
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

/** The entry of the operators' list that names somebody. An address counts only where the provider has verified it. */
function operatorName({ subject, email }: Identity, operators: readonly string[]): string | undefined {
  return operators.find((entry) => entry === `sub:${subject}` || entry === email?.toLowerCase());
}

const insertUsed = statement((db, arg: { hash: string; expires: number }) =>
  db
    .insertInto('used_visit')
    .values({ state_hash: arg.hash, expires_at: arg.expires })
    .onConflict((conflict) => conflict.column('state_hash').doNothing()),
);

/** The provider may hand out a code twice; a visit ends once all the same. */
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

/** A person as the API sees them: no key, live, with the limits of their role. */
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
 * What a role may do, in the words in which keys are limited: so there is one place that decides (keys/authenticate.ts),
 * whoever asks. An owner is not limited, and that alone gives power over people and keys.
 */
const powersOfRole: Readonly<Record<PersonRole, readonly Power[] | null>> = {
  owner: null,
  member: ['verify', 'tasks', 'lists', 'account:read'],
  viewer: ['tasks:read', 'lists:read', 'account:read'],
};

/** Nothing where the role limits nothing. */
function limitsOfRole(role: PersonRole): CallerLimits | undefined {
  const scopes = powersOfRole[role];
  return scopes === null ? undefined : { ...noLimits, scopes };
}

const deleteExpiredVisits = statement((db, arg: { now: number }) =>
  db.deleteFrom('used_visit').where('expires_at', '<=', arg.now),
);

/** For the sweep. A visit that is over is not taken, used or not. */
export async function eraseExpiredVisits(tx: Tx, now: number): Promise<number> {
  return tx.change(deleteExpiredVisits, { now });
}
