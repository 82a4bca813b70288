import { hash } from 'node:crypto';
import type { FastifyReply, FastifyRequest } from 'fastify';
import {
  enrolAnswerSchema,
  enrolRequestSchema,
  leaseAnswerSchema,
  leaseRequestSchema,
  ownProtocol,
  protocolHeader,
  readProtocol,
  reportAnswerSchema,
  reportRequestSchema,
} from '../prober-messages.ts';
import { messageLimits } from '../message-limits.ts';
import { secretIn, type KnownProber } from '../prober-records.ts';
import { enrolPath, leasePath, reportPath } from './prober-paths.ts';
import { refuse } from '../../../core/http/pipeline/refuse.ts';
import { contextOf } from '../../../core/http/pipeline/request-context.ts';
import { errorResponses } from '../../../core/http/schemas/errors.ts';
import { requestIdHeader } from '../../../core/http/schemas/headers.ts';
import { byProber } from '../../../core/http/schemas/security.ts';
import type { ApiServer, RouteParts } from '../../../core/http/routes/http-parts.ts';
import type { ProberHttp } from '../prober-centre.ts';

/** Requests and reports of outside probers (docs/probers.md). */
const described = { tags: ['Probers'], security: byProber };
const errors = (...reasons: Parameters<typeof errorResponses>[0]) =>
  errorResponses(
    [...reasons, 'invalid_request', 'method_not_allowed', 'verification_failed', 'service_unavailable'],
    { credits: false },
  );

const enrolSchema = {
  ...described,
  operationId: 'enrolProber',
  summary: 'Enrol a prober',
  description:
    'Makes the secret that the request bears known. The token is good once, for an hour; the same prober may repeat the request.',
  body: enrolRequestSchema,
  response: {
    200: { ...enrolAnswerSchema, headers: requestIdHeader },
    ...errors('invalid_enrolment_token', 'too_many_attempts'),
  },
};

const leaseSchema = {
  ...described,
  operationId: 'leaseProbes',
  summary: 'Lease probes',
  description: 'Waits until there is something to ask. Single verifications come first and at once.',
  body: leaseRequestSchema,
  response: { 200: { ...leaseAnswerSchema, headers: requestIdHeader }, ...errors('prober_not_known') },
};

const reportSchema = {
  ...described,
  operationId: 'reportProbes',
  summary: 'Report evidence and renew leases',
  description:
    'Evidence counts once for each lease of a probe, and only from the prober that holds it: a report that is sent again changes nothing.',
  body: reportRequestSchema,
  response: { 200: { ...reportAnswerSchema, headers: requestIdHeader }, ...errors('prober_not_known') },
};

export function addProbers(server: ApiServer, { parts, admitRequest }: RouteParts<ProberHttp>): void {
  const { probers } = parts;
  const onRequest = [admitRequest('prober'), createAuthenticate(parts)];
  server.route({
    method: 'POST',
    url: enrolPath,
    schema: enrolSchema,
    onRequest: admitRequest('account'),
    handler: async (request, reply) => {
      const secret = secretIn(request.headers.authorization);
      const { token } = request.body;
      const attempt = parts.signIns.begin(contextOf(request).client, `enrolment ${digestOf(token)}`);
      if (attempt.kind === 'wait') return refuse(reply, 'too_many_attempts', attempt.seconds);
      if (secret === undefined) return refuse(reply, 'invalid_enrolment_token');
      const answer = await probers.enrol({ token, secret });
      if (answer.kind === 'refused') return refuse(reply, 'invalid_enrolment_token');
      attempt.succeeded();
      return reply.code(200).send({ prober_id: answer.proberId, name: answer.name });
    },
  });
  server.route({
    method: 'POST',
    url: leasePath,
    bodyLimit: messageLimits.bytes,
    schema: leaseSchema,
    onRequest,
    handler: async (request, reply) => {
      const { authorization } = request.headers;
      const answer = await probers.lease(request.body, {
        ...speakerOf(request),
        address: contextOf(request).client,
        signal: goneSignal(reply),
        isStillKnown: async () => (await probers.authenticate(authorization)) !== undefined,
      });
      if (answer === 'removed') return refuse(reply, 'prober_not_known');
      return reply.code(200).header(protocolHeader, ownProtocol).send(answer);
    },
  });
  server.route({
    method: 'POST',
    url: reportPath,
    bodyLimit: messageLimits.bytes,
    schema: reportSchema,
    onRequest,
    handler: async (request, reply) => {
      const answer = await probers.report(request.body, speakerOf(request));
      return reply.code(200).header(protocolHeader, ownProtocol).send(answer);
    },
  });
}

function speakerOf(request: FastifyRequest) {
  return { prober: proberOf(request), protocol: readProtocol(request.headers[protocolHeader]) };
}

/** Tells tokens apart without storing them. */
function digestOf(token: string): string {
  return hash('sha256', token).slice(0, 16);
}

type RequestOfProber = FastifyRequest & { [sender]?: KnownProber };

const sender = Symbol('prober');

function createAuthenticate({ probers }: ProberHttp) {
  return async (request: RequestOfProber, reply: FastifyReply): Promise<FastifyReply | undefined> => {
    const prober = await probers.authenticate(request.headers.authorization);
    if (prober === undefined) return refuse(reply, 'prober_not_known');
    request[sender] = prober;
    contextOf(request).work = { kind: 'prober', asker: prober.id };
    return undefined;
  };
}

function proberOf(request: RequestOfProber): KnownProber {
  const prober = request[sender];
  if (prober === undefined) throw new Error('a handler ran without authentication before it');
  return prober;
}

/** Returns a signal that is aborted when the prober disconnects while waiting: its lease would be lost. */
function goneSignal({ raw }: FastifyReply): AbortSignal {
  const gone = new AbortController();
  raw.once('close', () => {
    if (!raw.writableEnded) gone.abort();
  });
  return gone.signal;
}
