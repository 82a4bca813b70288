import { createAsk, holdsList, type CallOptions } from './ask.ts';
import type { CreatedInvitation, InvitationRequest, PeopleList, Person } from './types/account-types.ts';
import type { PersonRole } from './contract.ts';
import { request, type Connection } from './request.ts';

/** The people of the account, where the service has an OpenID provider; for live keys without limits, and for owners. */
export type PeopleCalls = {
  list(options?: CallOptions): Promise<PeopleList>;
  /** The link is in the answer and nowhere else. */
  invite(invitation: InvitationRequest, options?: CallOptions): Promise<CreatedInvitation>;
  withdraw(invitationId: string, options?: CallOptions): Promise<void>;
  /** It holds everywhere within a second. */
  setRole(personId: string, role: PersonRole, options?: CallOptions): Promise<Person>;
  /** Their sessions end within a second. */
  remove(personId: string, options?: CallOptions): Promise<void>;
};

/** The same for the operator, of any account. */
export type AdminPeopleCalls = {
  list(accountId: string, options?: CallOptions): Promise<PeopleList>;
  /** The link is in the answer and nowhere else. */
  invite(accountId: string, invitation: InvitationRequest, options?: CallOptions): Promise<CreatedInvitation>;
};

const accountPath = '/api/v1/account';

export function createPeopleCalls(connection: Connection): PeopleCalls {
  const ask = createAsk(connection);
  const drop = async (path: string, signal: AbortSignal | undefined) => {
    await request({ method: 'DELETE', path, signal }, connection);
  };
  return {
    list: ({ signal } = {}) =>
      ask({ method: 'GET', path: `${accountPath}/people`, signal }, holdsList<PeopleList>('people')),
    invite: (invitation, { signal } = {}) =>
      ask({ method: 'POST', path: `${accountPath}/invitations`, body: invitation, signal }, isInvitation),
    withdraw: (id, { signal } = {}) => drop(`${accountPath}/invitations/${encodeURIComponent(id)}`, signal),
    setRole: (id, role, { signal } = {}) =>
      ask(
        { method: 'PATCH', path: `${accountPath}/people/${encodeURIComponent(id)}`, body: { role }, signal },
        isPerson,
      ),
    remove: (id, { signal } = {}) => drop(`${accountPath}/people/${encodeURIComponent(id)}`, signal),
  };
}

export function createAdminPeopleCalls(connection: Connection): AdminPeopleCalls {
  const ask = createAsk(connection);
  const pathTo = (accountId: string) => `/admin/v1/accounts/${encodeURIComponent(accountId)}`;
  return {
    list: (accountId, { signal } = {}) =>
      ask({ method: 'GET', path: `${pathTo(accountId)}/people`, signal }, holdsList<PeopleList>('people')),
    invite: (accountId, invitation, { signal } = {}) =>
      ask(
        { method: 'POST', path: `${pathTo(accountId)}/invitations`, body: invitation, signal },
        isInvitation,
      ),
  };
}

function isPerson(body: object): body is Person {
  return 'person_id' in body && 'role' in body;
}

function isInvitation(body: object): body is CreatedInvitation {
  return 'invitation_id' in body && 'url' in body;
}
