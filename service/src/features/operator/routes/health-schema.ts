import type { ServiceHealth, StatusCounts } from '@mailproof/client';
import { Type, type Static } from 'typebox';
import { mostTasksCounted } from '../../../core/verify/tasks/read-task-queue.ts';
import { stringEnum } from '../../../core/http/schemas/string-enum.ts';
import type { SameType } from '../../../core/http/schemas/same-type.ts';
import { statusSchema } from '../../../core/http/schemas/verification-schemas.ts';

/** The state of the service, as the operator sees it. */
const count = (description?: string) =>
  Type.Integer({ minimum: 0, ...(description === undefined ? {} : { description }) });
const textOrNull = (description: string) =>
  Type.Unsafe<string | null>({ type: ['string', 'null'], description });
const closed = { additionalProperties: false };

const countsSchema = Type.Unsafe<StatusCounts>({
  type: 'object',
  propertyNames: statusSchema,
  additionalProperties: { type: 'integer', minimum: 1 },
  description: 'By status; a status that did not occur is absent',
});

const example: ServiceHealth = {
  verdicts: [
    { from: '2026-01-02T03:00:00.000Z', minutes: 15, counts: { safe: 420, invalid: 31, unknown: 9 } },
  ],
  unknown_reasons: [{ reason: 'greylisted', count: 7 }],
  failures: [{ reason: 'verification_timeout', count: 2 }],
  providers: [{ provider: 'google', counts: { safe: 300 } }],
  resting: [
    { kind: 'provider', name: 'yahoo', until: '2026-01-02T05:00:00.000Z', reason: 'reputation_deferred' },
  ],
  routes: [{ name: 'default', state: 'open' }],
  queue: { waiting: 3, running: 2, oldest_waiting_at: '2026-01-02T03:14:00.000Z' },
  processes: [
    {
      id: '0b6f2f0e-8a53-4c1e-9d59-4f6a3a1f7c11',
      role: 'all',
      started_at: '2026-01-01T00:00:00.000Z',
      seen_at: '2026-01-02T03:14:59.000Z',
    },
  ],
  proxy_problem: null,
  engine: {
    dns_queries: 1_200,
    dialled: 460,
    forbidden: 0,
    breaches: 0,
    conversations_open: 12,
    conversations_waiting: 0,
    mail_port_problem: null,
    identity_problem: null,
    resolver_problem: null,
    control_problem: null,
    reputation_problem: null,
  },
};

export const healthSchema = Type.Object(
  {
    verdicts: Type.Array(
      Type.Object({ from: Type.String(), minutes: count(), counts: countsSchema }, closed),
      { description: 'Oldest first, without gaps' },
    ),
    unknown_reasons: Type.Array(Type.Object({ reason: Type.String(), count: count() }, closed), {
      description: 'Why verdicts were `unknown`, the most frequent first',
    }),
    failures: Type.Array(
      Type.Object(
        { reason: stringEnum(['verification_unavailable', 'verification_timeout']), count: count() },
        closed,
      ),
      { description: 'Verifications that ended without a verdict' },
    ),
    providers: Type.Array(Type.Object({ provider: Type.String(), counts: countsSchema }, closed), {
      description:
        'By mail provider; `other` stands for all that are not in our table, `none` for verdicts without a mail host',
    }),
    resting: Type.Array(
      Type.Object(
        {
          kind: stringEnum(['host', 'provider', 'network', 'address', 'route']),
          name: Type.String(),
          until: Type.String(),
          reason: Type.String(),
        },
        closed,
      ),
      { description: 'Paused mail hosts, providers and networks, the longest pause first' },
    ),
    routes: Type.Array(
      Type.Object(
        {
          name: Type.String(),
          state: stringEnum(['open', 'closed', 'resting', 'spent', 'down']),
          until: Type.Optional(Type.String()),
          reason: Type.Optional(Type.String()),
        },
        closed,
      ),
      { description: 'Egress routes' },
    ),
    queue: Type.Object(
      {
        waiting: count(`Tasks that wait for a worker, counted up to ${mostTasksCounted}`),
        running: count(
          `Running tasks, including those that wait for a mail host, counted up to ${mostTasksCounted}`,
        ),
        oldest_waiting_at: textOrNull('When the oldest waiting task was created'),
      },
      closed,
    ),
    processes: Type.Array(
      Type.Object(
        {
          id: Type.String(),
          role: stringEnum(['all', 'api', 'worker', 'prober']),
          started_at: textOrNull('Null if not known'),
          seen_at: Type.String({ description: 'When it last reported' }),
        },
        closed,
      ),
    ),
    proxy_problem: textOrNull(
      'Which peer sends forwarding headers without being trusted, and what to do; null if none does',
    ),
    engine: Type.Object(
      {
        dns_queries: count('DNS queries sent'),
        dialled: count('Mail hosts dialled'),
        forbidden: count('Addresses that the egress guard refused'),
        breaches: count('Connections to forbidden addresses that were cut; should be 0'),
        conversations_open: count('SMTP conversations open now'),
        conversations_waiting: count('Addresses waiting for a conversation now'),
        mail_port_problem: textOrNull('Problem of outbound port 25; null if there is none'),
        identity_problem: textOrNull(
          'Why public mail hosts are not asked under our HELO name and sender, and what to set; null if they are',
        ),
        resolver_problem: textOrNull('Problem of the resolver and its remedy; null if there is none'),
        control_problem: textOrNull('Which providers reject control mailboxes; null if none does'),
        reputation_problem: textOrNull(
          'Which egress addresses block lists or providers refuse, and what to do; null if none is',
        ),
      },
      { description: 'Figures of the answering process since it started', ...closed },
    ),
  },
  { title: 'Health', description: 'The state of the service', examples: [example], ...closed },
);

true satisfies SameType<Static<typeof healthSchema>, ServiceHealth>;
