import { parseAddress } from '@mailproof/engine';
import { actorOf, mayUse } from '../../../core/keys/authenticate.ts';
import type { InviteAnswer } from '../invitations.ts';
import { invitationPath, invitationsPath, peoplePath, personPath } from './people-paths.ts';
import { refuse } from '../../../core/http/pipeline/refuse.ts';
import { callerOf } from '../../../core/http/pipeline/request-context.ts';
import { presentInvitation, presentPeople, presentPerson } from './present-people.ts';
import { accountReasons, errorResponses } from '../../../core/http/schemas/errors.ts';
import { creditsHeader, requestIdHeader } from '../../../core/http/schemas/headers.ts';
import { csrfHeaders } from '../../../core/http/schemas/page-parameters.ts';
import {
  createdInvitationSchema,
  invitationParameters,
  invitationRequestSchema,
  peopleListSchema,
  personChangeSchema,
  personParameters,
  personSchema,
} from './people-schemas.ts';
import { byOwner } from '../../../core/http/schemas/security.ts';
import type { ApiServer, RouteParts } from '../../../core/http/routes/http-parts.ts';
import { isUuid } from '../../../core/store/is-uuid.ts';
import type { PeopleHttp } from './people-parts.ts';

/**
 * The people of an account. Owners manage them, and live keys without any limit: whoever is limited could otherwise
 * invite himself as somebody who is not. The paths exist only where an OpenID provider is set.
 */
const described = { tags: ['People'], security: byOwner };
const headers = { ...requestIdHeader, ...creditsHeader('Always 0: people cost nothing') };
const changeReasons = ['invalid_request', ...accountReasons, 'csrf_token_mismatch'] as const;

const listRoute = {
  ...described,
  operationId: 'listPeople',
  summary: 'The people of the account',
  description: 'For owners, and for live keys without limits.',
  response: { 200: { ...peopleListSchema, headers }, ...errorResponses(accountReasons) },
};

const inviteRoute = {
  ...described,
  operationId: 'invitePerson',
  summary: 'Invite somebody',
  description:
    'The link is shown in this response only. It is good once, for seven days: whoever opens it and signs in with the provider gets the role.',
  headers: csrfHeaders,
  body: invitationRequestSchema,
  response: {
    201: { ...createdInvitationSchema, headers },
    ...errorResponses([...changeReasons, 'too_many_people']),
  },
};

const withdrawRoute = {
  ...described,
  operationId: 'withdrawInvitation',
  summary: 'Withdraw an invitation',
  description: 'Its link is good for nothing from then on.',
  headers: csrfHeaders,
  params: invitationParameters,
  response: {
    204: { type: 'null', description: 'The link leads nowhere any more', headers },
    ...errorResponses([...changeReasons, 'invitation_not_found']),
  },
};

const changeRoute = {
  ...described,
  operationId: 'changePerson',
  summary: 'Change the role of a person',
  description: 'It holds in every process within a second. The last owner stays one.',
  headers: csrfHeaders,
  params: personParameters,
  body: personChangeSchema,
  response: {
    200: { ...personSchema, headers },
    ...errorResponses([...changeReasons, 'person_not_found', 'last_owner']),
  },
};

const removeRoute = {
  ...described,
  operationId: 'removePerson',
  summary: 'Remove a person',
  description:
    'Their sessions end within a second. Everybody may remove themselves, but for the last owner of the account.',
  headers: csrfHeaders,
  params: personParameters,
  response: {
    204: { type: 'null', description: 'They are no longer in the account', headers },
    ...errorResponses([...changeReasons, 'person_not_found', 'last_owner']),
  },
};

export function addPeople(server: ApiServer, { parts, authenticateRequest }: RouteParts<PeopleHttp>): void {
  const onRequest = authenticateRequest('account', 'people');
  const { people } = parts;
  server.route({
    method: 'GET',
    url: peoplePath,
    schema: listRoute,
    onRequest,
    handler: async (request, reply) => {
      const caller = callerOf(request);
      return reply.code(200).send(presentPeople(await people.list(caller.accountId), caller));
    },
  });
  server.route({
    method: 'PATCH',
    url: personPath,
    schema: changeRoute,
    onRequest,
    handler: async (request, reply) => {
      const caller = callerOf(request);
      const { personId } = request.params;
      if (!isUuid(personId)) return refuse(reply, 'person_not_found');
      const answer = await people.changeRole(caller, { personId, role: request.body.role });
      if (answer.kind !== 'changed') return refuse(reply, answer.kind);
      const listed = await people.list(caller.accountId);
      const person = listed.people.find((one) => one.personId === personId);
      // They may have been removed since.
      if (person === undefined) return refuse(reply, 'person_not_found');
      return reply.code(200).send(presentPerson(person, caller));
    },
  });
  server.route({
    method: 'DELETE',
    url: personPath,
    schema: removeRoute,
    onRequest: authenticateRequest('account', 'account:read'),
    handler: async (request, reply) => {
      const caller = callerOf(request);
      const { personId } = request.params;
      // Leaving is open to everybody who is in.
      if (caller.person?.personId !== personId && !mayUse(caller, 'people'))
        return refuse(reply, 'insufficient_scope');
      if (!isUuid(personId)) return refuse(reply, 'person_not_found');
      const answer = await people.remove(caller, personId);
      return answer.kind === 'removed' ? reply.code(204).send() : refuse(reply, answer.kind);
    },
  });
  addInvitations(server, { people, onRequest, publicUrl: parts.oidc?.publicUrl ?? '' });
}

type InvitationParts = {
  people: PeopleHttp['people'];
  onRequest: ReturnType<RouteParts['authenticateRequest']>;
  publicUrl: string;
};

function addInvitations(server: ApiServer, { people, onRequest, publicUrl }: InvitationParts): void {
  server.route({
    method: 'POST',
    url: invitationsPath,
    schema: inviteRoute,
    onRequest,
    handler: async (request, reply) => {
      const caller = callerOf(request);
      const { role } = request.body;
      const email = readEmail(request.body.email);
      if (email === undefined) return refuse(reply, 'invalid_request');
      const answer = await people.invite({ accountId: caller.accountId, role, email }, actorOf(caller));
      if (answer.kind === 'account_not_found') throw new Error('a caller without an account');
      if (answer.kind !== 'invited') return refuse(reply, answer.kind);
      return reply.code(201).send(presentInvited(answer, publicUrl));
    },
  });
  server.route({
    method: 'DELETE',
    url: invitationPath,
    schema: withdrawRoute,
    onRequest,
    handler: async (request, reply) => {
      const { invitationId } = request.params;
      if (!isUuid(invitationId)) return refuse(reply, 'invitation_not_found');
      const answer = await people.withdraw(callerOf(request), invitationId);
      return answer.kind === 'withdrawn' ? reply.code(204).send() : refuse(reply, answer.kind);
    },
  });
}

/** Null for none; nothing where it is no address. */
export function readEmail(text: string | null | undefined): string | null | undefined {
  const trimmed = text?.trim() ?? '';
  if (trimmed === '') return null;
  return parseAddress(trimmed).kind === 'invalid' ? undefined : trimmed;
}

/** What the link holds stands behind the `#`, which no browser sends: no log and no other site gets to see it. */
export function presentInvited({ invitation, token }: InviteAnswer & { kind: 'invited' }, publicUrl: string) {
  return { ...presentInvitation(invitation), url: `${publicUrl}/invitation#${token}` };
}
