import type { Invitation, PeopleList, Person, SessionPerson } from '@mailproof/client';
import type { Caller } from '../../../core/keys/authenticate.ts';
import type { Invitation as StoredInvitation } from '../invitations.ts';
import type { DescribedPerson } from '../people-actions.ts';
import type { Person as StoredPerson } from '../people.ts';
import { isoTime } from '../../account/routes/present-account.ts';

/** The people of an account in the words and forms of the contract. */
export function presentPeople(
  { people, invitations }: { people: StoredPerson[]; invitations: StoredInvitation[] },
  caller: Pick<Caller, 'person'>,
): PeopleList {
  return {
    people: people.map((person) => presentPerson(person, caller)),
    invitations: invitations.map(presentInvitation),
  };
}

export function presentPerson(person: StoredPerson, caller: Pick<Caller, 'person'>): Person {
  return {
    person_id: person.personId,
    email: person.email,
    name: person.name,
    role: person.role,
    created_at: isoTime(person.createdAt),
    signed_in_at: isoTime(person.signedInAt),
    current: person.personId === caller.person?.personId,
  };
}

export function presentInvitation(invitation: StoredInvitation): Invitation {
  return {
    invitation_id: invitation.invitationId,
    role: invitation.role,
    email: invitation.email,
    created_at: isoTime(invitation.createdAt),
    expires_at: isoTime(invitation.expiresAt),
  };
}

export function presentSessionPerson({ personId, accounts, ...rest }: DescribedPerson): SessionPerson {
  return {
    ...rest,
    person_id: personId,
    accounts: accounts.map(({ accountId, name }) => ({ account_id: accountId, name })),
  };
}
