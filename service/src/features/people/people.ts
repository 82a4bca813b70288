import type { PersonRole } from '@mailproof/client';
import { recordChange, type Actor } from '../../core/ledger/record-change.ts';
import type { Store } from '../../core/store/store.ts';
import { statement, type Tx } from '../../core/store/statement.ts';
import type { WallClock } from '../../core/store/wall-clock.ts';

/**
 * The people of an account. Every change of them is made alone, under one serial key of the account, because what an
 * account must not lose, its last owner, is a fact about several rows. A changed role and a removed person hold in every process
 * within a second, as sessions are read anew by then (sessions/create-sessions.ts).
 */
export type Person = {
  personId: string;
  accountId: string;
  email: string | null;
  name: string | null;
  role: PersonRole;
  createdAt: number;
  signedInAt: number;
};

export const peopleLimitTable = {
  perAccount: { value: 100, meaning: 'people of an account and open invitations to it, together' },
  invitationMs: { value: 7 * 86_400_000, meaning: 'life of an invitation' },
} as const;

export type PeopleChangeParts = { store: Pick<Store, 'writeAlone'>; wallClock: WallClock; actor: Actor };

export const peopleKey = (accountId: string) => `people ${accountId}`;

const findPeople = statement((db, arg: { account: string }) =>
  db
    .selectFrom('person')
    .select(['id', 'email', 'name', 'role', 'created_at', 'signed_in_at'])
    .where('account_id', '=', arg.account)
    .orderBy('created_at')
    .orderBy('id'),
);

export async function listPeople(
  accountId: string,
  { store }: { store: Pick<Store, 'read'> },
): Promise<Person[]> {
  const rows = await store.read.all(findPeople, { account: accountId });
  return rows.map((row) => ({
    personId: row.id,
    accountId,
    email: row.email,
    name: row.name,
    role: row.role,
    createdAt: row.created_at,
    signedInAt: row.signed_in_at,
  }));
}

const findRoles = statement((db, arg: { account: string }) =>
  db.selectFrom('person').select(['id', 'role']).where('account_id', '=', arg.account),
);

const writeRole = statement((db, arg: { id: string; role: PersonRole }) =>
  db.updateTable('person').set({ role: arg.role }).where('id', '=', arg.id),
);

const deletePerson = statement((db, arg: { id: string }) => db.deleteFrom('person').where('id', '=', arg.id));

const deleteSessions = statement((db, arg: { id: string }) =>
  db.deleteFrom('session').where('person_id', '=', arg.id),
);

type PersonOrder = { accountId: string; personId: string };
type PersonRefusal = { kind: 'person_not_found' } | { kind: 'last_owner' };

export type ChangeRoleAnswer = { kind: 'changed' } | PersonRefusal;
export type RemovePersonAnswer = { kind: 'removed' } | PersonRefusal;

export async function changeRole(
  { accountId, personId, role }: PersonOrder & { role: PersonRole },
  { store, wallClock, actor }: PeopleChangeParts,
): Promise<ChangeRoleAnswer> {
  return store.writeAlone(async (tx) => {
    const found = await findRole(tx, { accountId, personId });
    if (found.kind !== 'found') return found;
    if (found.role === role) return { kind: 'changed' };
    if (found.isLastOwner) return { kind: 'last_owner' };
    await tx.change(writeRole, { id: personId, role });
    const detail = { account_id: accountId, role };
    const now = wallClock.now();
    await recordChange(tx, { actor, action: 'person_role_set', subject: personId, detail, now });
    return { kind: 'changed' };
  }, peopleKey(accountId));
}

/** What is known of the person goes too; the audit log keeps the id, which then means nobody. */
export async function removePerson(
  { accountId, personId }: PersonOrder,
  { store, wallClock, actor }: PeopleChangeParts,
): Promise<RemovePersonAnswer> {
  return store.writeAlone(async (tx) => {
    const found = await findRole(tx, { accountId, personId });
    if (found.kind !== 'found') return found;
    if (found.isLastOwner) return { kind: 'last_owner' };
    await tx.change(deleteSessions, { id: personId });
    await tx.change(deletePerson, { id: personId });
    const detail = { account_id: accountId };
    const now = wallClock.now();
    await recordChange(tx, { actor, action: 'person_removed', subject: personId, detail, now });
    return { kind: 'removed' };
  }, peopleKey(accountId));
}

type FoundRole = { kind: 'found'; role: PersonRole; isLastOwner: boolean } | { kind: 'person_not_found' };

async function findRole(tx: Tx, { accountId, personId }: PersonOrder): Promise<FoundRole> {
  const people = await tx.all(findRoles, { account: accountId });
  const person = people.find(({ id }) => id === personId);
  if (person === undefined) return { kind: 'person_not_found' };
  const owners = people.filter(({ role }) => role === 'owner').length;
  return { kind: 'found', role: person.role, isLastOwner: person.role === 'owner' && owners === 1 };
}
