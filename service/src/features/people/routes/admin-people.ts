import { adminPath } from '../../../core/http/pipeline/paths.ts';
import { refuse } from '../../../core/http/pipeline/refuse.ts';
import { isId } from '../../../core/http/parameters/storable-text.ts';
import { presentPeople } from './present-people.ts';
import { accountParameters } from '../../operator/routes/admin-schemas.ts';
import { csrfHeaders } from '../../../core/http/schemas/page-parameters.ts';
import { createdInvitationSchema, invitationRequestSchema, peopleListSchema } from './people-schemas.ts';
import type { PeopleHttp } from './people-parts.ts';
import type { ApiServer } from '../../../core/http/routes/http-parts.ts';
import { presentInvited, readEmail } from './people.ts';
import {
  adminErrors,
  adminRoute,
  answering,
  type AdminRouteParts,
} from '../../operator/routes/admin-route.ts';

/** The people of any account: who they are, and inviting the first of them. */
const listRoute = {
  ...adminRoute,
  operationId: 'adminListPeople',
  summary: 'The people of an account',
  description: 'Who signs in to it with the OpenID provider, and who is invited to.',
  params: accountParameters,
  response: { 200: answering(peopleListSchema), ...adminErrors('account_not_found') },
};

const inviteRoute = {
  ...adminRoute,
  operationId: 'adminInvitePerson',
  summary: 'Invite somebody to an account',
  description: 'The link is shown in this response only. It is good once, for seven days.',
  params: accountParameters,
  headers: csrfHeaders,
  body: invitationRequestSchema,
  response: {
    201: answering(createdInvitationSchema),
    ...adminErrors('invalid_request', 'csrf_token_mismatch', 'account_not_found', 'too_many_people'),
  },
};

type AdminPeopleParts = AdminRouteParts & { people: PeopleHttp['people']; publicUrl: string };

export function addAdminAccountPeople(server: ApiServer, parts: AdminPeopleParts): void {
  const { operator, people, publicUrl, onRequest } = parts;
  server.route({
    method: 'GET',
    url: `${adminPath}/accounts/:accountId/people`,
    schema: listRoute,
    onRequest,
    handler: async (request, reply) => {
      const { accountId } = request.params;
      const account = isId(accountId) ? await operator.findAccount(accountId) : undefined;
      if (account === undefined) return refuse(reply, 'account_not_found');
      return reply.code(200).send(presentPeople(await people.list(accountId), {}));
    },
  });
  server.route({
    method: 'POST',
    url: `${adminPath}/accounts/:accountId/invitations`,
    schema: inviteRoute,
    onRequest,
    handler: async (request, reply) => {
      const { accountId } = request.params;
      const email = readEmail(request.body.email);
      if (email === undefined) return refuse(reply, 'invalid_request');
      if (!isId(accountId)) return refuse(reply, 'account_not_found');
      const answer = await people.invite({ accountId, role: request.body.role, email }, 'operator');
      if (answer.kind !== 'invited') return refuse(reply, answer.kind);
      return reply.code(201).send(presentInvited(answer, publicUrl));
    },
  });
}
