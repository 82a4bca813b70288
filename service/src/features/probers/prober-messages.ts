import type { MailboxEvidence } from '@mailproof/engine';
import { Type, type Static } from 'typebox';
import { mostLeased, mostRenewed, mostReported } from './probe-source.ts';
import { messageLimits } from './message-limits.ts';

/**
 * Header that names the protocol of either side. An outside prober and the centre exchange JSON over HTTPS. Neither
 * trusts the other: every field is bounded, and a message that does not fit is refused whole. Times are durations, so
 * that clocks need not agree.
 *
 * A program of protocol 1 sends no header and ignores it. Messages with unknown fields are refused, so neither side
 * sends fields that the other cannot read.
 */
export const protocolHeader = 'x-probe-protocol';
export const ownProtocol = 2;

export function readProtocol(header: string | string[] | null | undefined): number {
  return typeof header === 'string' && /^\d{1,3}$/.test(header) ? Number(header) : 1;
}

export const longestLifeMs = 30 * 86_400_000;
export const longestWaitMs = 30 * 86_400_000;

function oneOf<const Values extends readonly string[]>(values: Values) {
  return Type.Unsafe<Values[number]>({ type: 'string', enum: [...values] });
}

const id = Type.String({ minLength: 1, maxLength: 64, pattern: String.raw`^[\w-]+$` });
const name = Type.String({ minLength: 1, maxLength: 255 });
const egressName = Type.String({ minLength: 1, maxLength: 100, pattern: String.raw`^[\w.:-]+$` });
const duration = (maximum: number, description: string) =>
  Type.Integer({ minimum: 0, maximum, description: `${description}, in milliseconds` });
const count = (description: string) => Type.Integer({ minimum: 0, maximum: 1_000_000, description });
const closed = { additionalProperties: false };

export const enrolRequestSchema = Type.Object(
  { token: Type.String({ minLength: 1, maxLength: 100, description: 'From `mailproof probers add`' }) },
  { title: 'ProberEnrolRequest', ...closed, examples: [{ token: 'mp_enrol_…' }] },
);

export const enrolAnswerSchema = Type.Object(
  { prober_id: id, name },
  {
    title: 'ProberEnrolled',
    description: 'The prober is enrolled',
    ...closed,
    examples: [{ prober_id: '0aB1cD2e', name: 'office' }],
  },
);

const learnedSchema = Type.Object(
  {
    kind: oneOf(['belief', 'catch_all', 'host_reach', 'host_traits', 'rest']),
    key: Type.String({ minLength: 1, maxLength: 600 }),
    value: Type.Unknown({ description: 'As the engine keeps it; `null`: forget it' }),
    life_ms: duration(longestLifeMs, 'How much longer it holds'),
  },
  { title: 'ProberLearned', description: 'Of a domain or a host, never of an address', ...closed },
);

const restFields = {
  kind: oneOf(['closed', 'banned', 'blocked']),
  egress: egressName,
  group: Type.Optional(
    Type.String({ minLength: 1, maxLength: 255, description: 'The provider, if it is one' }),
  ),
};

const restSchema = Type.Object(
  {
    ...restFields,
    reason: Type.String({ maxLength: messageLimits.restCharacters }),
    left_ms: Type.Optional(duration(longestLifeMs, 'How much longer it lasts, if that is known')),
  },
  { title: 'ProberRest', description: 'An egress address of its own that it does not ask from', ...closed },
);

const restWishSchema = Type.Object(
  { wish: id, ...restFields },
  { title: 'ProberRestWish', description: 'A rest that the operator wants to end', ...closed },
);

const leaseFields = {
  instance: Type.String({
    minLength: 8,
    maxLength: 64,
    pattern: String.raw`^[\w-]+$`,
    description: 'Chosen at random when the prober starts; a second one with the same secret stands by',
  }),
  version: Type.String({ maxLength: 40 }),
  places: Type.Integer({ minimum: 1, maximum: mostLeased, description: 'Probes that it can take' }),
  egress: Type.Array(egressName, {
    minItems: 1,
    maxItems: messageLimits.egressAddresses,
    description: 'Its egress addresses, by the names that it has for them',
  }),
  unwell: Type.Optional(
    Type.String({ maxLength: 100, description: 'Why it cannot ask mail hosts now, in one word' }),
  ),
  wait_ms: duration(messageLimits.waitMs, 'Longest wait for a probe'),
  holding: Type.Optional(
    Type.Array(id, {
      maxItems: mostLeased,
      description: 'After a request whose answer did not arrive: the leases that it has',
    }),
  ),
  conversations: count('Conversations that it has open'),
  resting: count('Hosts and providers that it leaves alone'),
  news: Type.Optional(Type.String({ maxLength: 400, description: '`news` of the last answer' })),
  rests: Type.Optional(
    Type.Array(restSchema, { maxItems: messageLimits.rests, description: 'Protocol 2: its own rests' }),
  ),
  ended: Type.Optional(
    Type.Array(id, {
      maxItems: messageLimits.rests,
      description: 'Protocol 2: wishes of earlier answers that it has carried out',
    }),
  ),
};

export const leaseRequestSchema = Type.Object(leaseFields, { title: 'ProbeLeaseRequest', ...closed });

const questionSchema = Type.Object(
  {
    email: Type.String({ maxLength: 320 }),
    implicit: Type.Boolean({ description: 'The domain has no MX record and its own address serves' }),
    mx: Type.Array(name, { maxItems: messageLimits.mailHosts, description: 'In order of preference' }),
    preferred: Type.Optional(
      Type.Integer({
        minimum: 0,
        maximum: messageLimits.mailHosts,
        description: 'How many of these have the best preference',
      }),
    ),
    first: Type.Object(
      { name, addresses: Type.Array(Type.String({ maxLength: 45 }), { maxItems: messageLimits.addresses }) },
      { title: 'ProbeMailHost', ...closed },
    ),
    further: Type.Array(name, { maxItems: messageLimits.mailHosts }),
  },
  { title: 'ProbeQuestion', description: 'The address, and where its mail goes', ...closed },
);

const probeSchema = Type.Object(
  {
    probe: id,
    lease: id,
    fence: Type.Integer({ minimum: 1, maximum: Number.MAX_SAFE_INTEGER }),
    egress: egressName,
    urgency: oneOf(['single', 'bulk']),
    tag: Type.String({ maxLength: 32, description: 'The same for probes that take turns with others' }),
    within_ms: duration(longestWaitMs, 'Time until the caller’s deadline'),
    question: questionSchema,
  },
  { title: 'LeasedProbe', ...closed },
);

export const leaseAnswerSchema = Type.Object(
  {
    probes: Type.Array(probeSchema, { maxItems: mostLeased }),
    stand_by_ms: Type.Optional(
      duration(600_000, 'Another instance works with this secret; ask again after this long'),
    ),
    learned: Type.Array(learnedSchema, { maxItems: messageLimits.learned }),
    news: Type.String({ maxLength: 400, description: 'Up to where `learned` tells what others have learnt' }),
    end: Type.Optional(
      Type.Array(restWishSchema, {
        maxItems: messageLimits.rests,
        description: 'Protocol 2: rests of its own to end',
      }),
    ),
  },
  {
    title: 'ProbeLease',
    description: 'What to ask; a lease lasts 60 seconds unless it is renewed',
    ...closed,
    examples: [{ probes: [], learned: [], news: '' }],
  },
);

const meaningSchema = Type.Object(
  {
    label: oneOf([
      'accepted',
      'mailbox_not_exist',
      'mailbox_full',
      'mailbox_disabled',
      'greylisted_or_temporary',
      'blocked_or_policy',
      'other',
    ]),
    reason: Type.String({ maxLength: 100 }),
  },
  {
    title: 'ReplyMeaning',
    description: 'The prober’s own reading, which the centre does not rely on',
    ...closed,
  },
);

const replySchema = Type.Object(
  {
    phase: oneOf(['connect', 'banner', 'ehlo', 'starttls', 'mail', 'rcpt', 'random_rcpt', 'rset', 'quit']),
    code: Type.Integer({ minimum: 0, maximum: 999 }),
    enhanced: Type.Optional(Type.String({ maxLength: 20 })),
    text: Type.String({ maxLength: messageLimits.replyCharacters }),
  },
  { title: 'ProbeReply', ...closed },
);

const catchAllSchema = Type.Object(
  {
    kind: oneOf(['yes', 'no', 'undetermined']),
    from: Type.Optional(oneOf(['random_probe', 'contrast', 'memory', 'provider_table'])),
    age_ms: Type.Optional(duration(longestLifeMs, 'How old a remembered answer is')),
    meaning: Type.Optional(meaningSchema),
  },
  { title: 'ProbeCatchAll', ...closed },
);

/** Every reason except those that only the centre can find. */
export const noAnswerReasons = [
  'mx_unreachable',
  'smtp_timeout',
  'protocol_error',
  'connection_lost',
  'host_refused',
  'smtputf8_not_offered',
  'no_host_offers_smtputf8',
  'hosts_take_no_mail',
  'tls_failed',
  'host_resting',
  'mail_port_blocked',
  'identity_unproven',
  'provider_policy',
  'control_mailbox_refused',
  'backup_accepts_everything',
  'provider_accepts_everything',
] as const satisfies readonly (MailboxEvidence & { kind: 'no_answer' })['reason'][];

const evidenceSchema = Type.Object(
  {
    kind: oneOf(['answered', 'no_answer']),
    host: Type.Optional(name),
    replies: Type.Array(replySchema, { maxItems: messageLimits.replies }),
    meaning: Type.Optional(meaningSchema),
    catch_all: Type.Optional(catchAllSchema),
    contrast: Type.Optional(
      oneOf(['like_made_up', 'unlike_made_up', 'same_as_made_up', 'not_compared', 'contradictory']),
    ),
    reason: Type.Optional(oneOf(noAnswerReasons)),
    connected: Type.Optional(Type.Boolean()),
    retry_after_ms: Type.Optional(
      duration(longestWaitMs, 'Time until the end of the rest that prevented the question'),
    ),
  },
  { title: 'ProbeEvidence', description: 'What the mail hosts said', ...closed },
);

const resultSchema = Type.Object(
  {
    probe: id,
    lease: id,
    fence: Type.Integer({ minimum: 1, maximum: Number.MAX_SAFE_INTEGER }),
    evidence: Type.Union([evidenceSchema, Type.Null()]),
    begun_ms: Type.Optional(
      duration(longestWaitMs, 'Protocol 2: how long ago a conversation took the probe, if one did'),
    ),
  },
  {
    title: 'ProbeResult',
    description: 'Counts once, and only for a probe that this prober holds',
    ...closed,
  },
);

export const reportRequestSchema = Type.Object(
  {
    instance: leaseFields.instance,
    results: Type.Array(resultSchema, { maxItems: mostReported }),
    learned: Type.Array(learnedSchema, { maxItems: messageLimits.learned }),
    renew: Type.Array(id, { maxItems: mostRenewed, description: 'Leases with open probes' }),
  },
  { title: 'ProbeReport', ...closed },
);

export const reportAnswerSchema = Type.Object(
  {
    ended: Type.Array(id, {
      maxItems: mostRenewed,
      description: 'Renewed leases without an open probe',
    }),
    withdrawn: Type.Optional(
      Type.Array(id, {
        maxItems: mostLeased,
        description: 'Protocol 2: probes to give back unless a conversation has taken them',
      }),
    ),
  },
  {
    title: 'ProbeReportAnswer',
    description: 'Outcome for leases and probes',
    ...closed,
    examples: [{ ended: [] }],
  },
);

export type LeaseRequestMessage = Static<typeof leaseRequestSchema>;
export type LeaseAnswerMessage = Static<typeof leaseAnswerSchema>;
export type ReportAnswerMessage = Static<typeof reportAnswerSchema>;
export type ReportMessage = Static<typeof reportRequestSchema>;
export type EvidenceMessage = Static<typeof evidenceSchema>;
export type LearnedMessage = Static<typeof learnedSchema>;
