import {
  contractLimits,
  type AdminAccount,
  type AdminAccountPage,
  type AdminAccountRequest,
  type AdminGrantRequest,
  type AdminAccountChange,
  type AdminProberList,
  type AdminRequestTrace,
  type AuditLogEntry,
  type AuditLogPage,
  type ErrorReason,
  type AdminEgressAddress,
  type AdminProber,
} from '@mailproof/client';
import { Type, type Static } from 'typebox';
import { accountTaskSchema, creditsSchema, nextSchema } from '../../account/routes/account-schemas.ts';
import { stringEnum } from '../../../core/http/schemas/string-enum.ts';
import { pageQuery } from '../../../core/http/schemas/page-parameters.ts';
import type { SameType } from '../../../core/http/schemas/same-type.ts';

/** Refusals of every operator endpoint. */
export const adminReasons = [
  'invalid_admin_token',
  'too_many_attempts',
  'cross_site_request',
  'not_found',
  'method_not_allowed',
  'verification_failed',
  'service_unavailable',
] as const satisfies readonly ErrorReason[];

const planSchema = stringEnum(['paid', 'none'], { description: 'Without a plan nothing is created' });

const exampleAccount: AdminAccount = {
  account_id: 'acct_0123456789abcdef',
  name: 'Example Ltd',
  plan: 'paid',
  credits: { granted: 1_000, available: 900, reserved: 20, spent: 80 },
  frozen: false,
  requests_per_minute: null,
  created_at: '2026-01-02T03:04:05.678Z',
};

export const adminAccountSchema = Type.Object(
  {
    account_id: Type.String(),
    name: Type.String(),
    plan: planSchema,
    credits: creditsSchema,
    frozen: Type.Boolean({
      description:
        'Whether the account is frozen because its ledger does not balance; nothing can be reserved',
    }),
    requests_per_minute: Type.Unsafe<number | null>({
      type: ['integer', 'null'],
      minimum: 1,
      description:
        'Requests a minute that the account may send to each process; null: the default of the setting',
    }),
    created_at: Type.String(),
  },
  {
    title: 'AdminAccount',
    description: 'The account',
    additionalProperties: false,
    examples: [exampleAccount],
  },
);

export const adminAccountPageSchema = Type.Object(
  { accounts: Type.Array(adminAccountSchema), next: nextSchema },
  {
    title: 'AdminAccountPage',
    description: 'Newest first',
    additionalProperties: false,
    examples: [{ accounts: [exampleAccount], next: null } satisfies AdminAccountPage],
  },
);

export const adminAccountRequestSchema = Type.Object(
  {
    name: Type.String({ minLength: 1, maxLength: contractLimits.accountNameCharacters }),
    plan: Type.Optional(planSchema),
    credits: Type.Optional(Type.Integer({ minimum: 0, maximum: contractLimits.credits })),
  },
  { title: 'AdminAccountRequest', examples: [{ name: 'Example Ltd', plan: 'paid', credits: 1_000 }] },
);

export const adminAccountChangeSchema = Type.Object(
  {
    plan: Type.Optional(planSchema),
    requests_per_minute: Type.Optional(
      Type.Union([
        Type.Integer({ minimum: 1, maximum: 1_000_000, description: 'To each process' }),
        Type.Null({ description: 'As many as the setting says' }),
      ]),
    ),
  },
  { title: 'AdminAccountChange', examples: [{ plan: 'none' }, { requests_per_minute: 600 }] },
);

export const adminUnfreezeRequestSchema = Type.Object(
  {
    reason: Type.String({
      minLength: 1,
      maxLength: contractLimits.unfreezeReasonCharacters,
      description: 'Why, for the audit log',
    }),
  },
  { title: 'AdminUnfreezeRequest', examples: [{ reason: 'Figures corrected after a restored backup' }] },
);

export const adminEndRestRequestSchema = Type.Object(
  {
    name: Type.String({
      minLength: 1,
      maxLength: 255,
      description:
        'A provider, the domain of mail hosts or an IP address, as `resting` of the health lists it',
    }),
  },
  { title: 'AdminEndRestRequest', examples: [{ name: 'yahoo' }] },
);

export const adminEndedRestsSchema = Type.Object(
  {
    ended: Type.Array(
      Type.Object(
        {
          kind: stringEnum(['host', 'provider', 'network', 'address', 'route', 'egress']),
          name: Type.String(),
        },
        { additionalProperties: false },
      ),
      { description: 'Empty if nothing of that name is left alone' },
    ),
  },
  {
    title: 'AdminEndedRests',
    additionalProperties: false,
    examples: [{ ended: [{ kind: 'provider', name: 'yahoo' }] }],
  },
);

export const adminGrantRequestSchema = Type.Object(
  { credits: Type.Integer({ minimum: 1, maximum: contractLimits.credits }) },
  { title: 'AdminGrantRequest', examples: [{ credits: 500 }], additionalProperties: false },
);

const count = (description: string) => Type.Integer({ minimum: 0, description });

export const adminTraceSchema = Type.Object(
  {
    request_id: Type.String(),
    account_id: Type.String(),
    kind: stringEnum(['verification', 'task']),
    at: Type.String({ description: 'When it began' }),
    credits: Type.Object(
      {
        reserved: count('Credits it reserved'),
        charged: count('Credits it was charged'),
        released: count('Credits it was given back'),
      },
      { additionalProperties: false },
    ),
    task: Type.Optional(accountTaskSchema),
  },
  {
    title: 'AdminTrace',
    description: 'Effects of the request. Never an address',
    additionalProperties: false,
    examples: [
      {
        request_id: '019a7c52-6e0b-7d1f-8a3c-5b6d7e8f9a0b',
        account_id: exampleAccount.account_id,
        kind: 'verification',
        at: '2026-01-02T03:04:05.678Z',
        credits: { reserved: 1, charged: 1, released: 0 },
      } satisfies AdminRequestTrace,
    ],
  },
);

const auditEntrySchema = Type.Object(
  {
    number: Type.Integer({ minimum: 1, description: 'Increases; there may be gaps' }),
    at: Type.String(),
    actor: Type.String({
      description: '`operator`, `command_line`, `service` (the service itself) or `key:` and the id of a key',
    }),
    action: stringEnum([
      'account_created',
      'plan_set',
      'rate_set',
      'credits_granted',
      'rest_ended',
      'account_frozen',
      'account_unfrozen',
      'key_created',
      'key_renamed',
      'backed_up',
      'key_changed',
      'key_deleted',
      'form_key_created',
      'form_key_deleted',
      'operator_signed_in',
      'person_invited',
      'invitation_withdrawn',
      'person_joined',
      'person_signed_in',
      'person_role_set',
      'person_removed',
      'prober_added',
      'prober_enrolled',
      'prober_removed',
      'webhook_created',
      'webhook_changed',
      'webhook_secret_rotated',
      'webhook_disabled',
      'webhook_deleted',
    ]),
    subject: Type.String({ description: 'The id of the account, key or webhook that was changed' }),
    detail: Type.Unsafe<Record<string, string | number>>({
      type: 'object',
      additionalProperties: Type.Union([Type.String(), Type.Number()]),
      description: 'The new value',
    }),
  },
  { title: 'AuditEntry', additionalProperties: false },
);

const exampleChange: AuditLogEntry = {
  number: 7,
  at: '2026-01-02T03:04:05.678Z',
  actor: 'operator',
  action: 'credits_granted',
  subject: exampleAccount.account_id,
  detail: { credits: 500 },
};

export const auditLogPageSchema = Type.Object(
  { entries: Type.Array(auditEntrySchema), next: nextSchema },
  {
    title: 'AuditLogPage',
    description: 'Newest first',
    additionalProperties: false,
    examples: [{ entries: [exampleChange], next: null } satisfies AuditLogPage],
  },
);

const nullable = (description: string) => Type.Union([Type.String(), Type.Null()], { description });

const names = (description: string) => Type.Array(Type.String(), { description });

const exampleProber: AdminProber = {
  prober_id: '0aB1cD2e',
  name: 'office',
  state: 'well',
  why_not: null,
  address: '192.0.2.10',
  version: '0.1.0',
  enrolled_at: '2026-01-02T03:04:05.678Z',
  seen_at: '2026-01-02T03:04:05.678Z',
  conversations: 12,
  resting: 1,
  answered: 4_000,
  unknown: 90,
  share: 25,
  egress_given: ['default', 'second'],
  egress: ['default'],
  egress_ignored: [],
};

const exampleEgress: AdminEgressAddress = {
  name: 'default',
  state: 'well',
  why_not: null,
  owner: '0aB1cD2e',
  seen_at: '2026-01-02T03:04:05.678Z',
  lease_until: '2026-01-02T03:04:39.678Z',
  conversations: 40,
  resting: 2,
};

export const adminProberListSchema = Type.Object(
  {
    probers: Type.Array(
      Type.Object(
        {
          prober_id: Type.String(),
          name: Type.String(),
          state: stringEnum(['invited', 'well', 'unwell', 'silent']),
          why_not: nullable('Why nothing is asked through it, in one word'),
          address: nullable('The networks of its requests'),
          version: nullable('Of its program'),
          enrolled_at: nullable('When it enrolled'),
          seen_at: nullable('When it was last heard of'),
          conversations: count('Conversations that it has open'),
          resting: count('Hosts and providers that it leaves alone'),
          answered: count('Probes that it has answered'),
          unknown: count('Of these, without an answer about the mailbox'),
          share: count('How many of a hundred addresses it may be asked about'),
          egress_given: names('The egress addresses that the operator gave it, by its own names'),
          egress: names('Of these, those that it has'),
          egress_ignored: names('Names that it announces and was not given; nothing is asked from these'),
        },
        { title: 'AdminProber', additionalProperties: false },
      ),
    ),
    egress_addresses: Type.Array(
      Type.Object(
        {
          name: Type.String({ description: 'Of a route, or `default`' }),
          state: stringEnum(['well', 'unwell', 'free']),
          why_not: nullable('Why nothing is asked from it, in one word'),
          owner: nullable('The id of the process that owns it'),
          seen_at: nullable('When the owner last prolonged its lease'),
          lease_until: nullable('When it is free if the owner is not heard of again'),
          conversations: count('Conversations that are open from it'),
          resting: count('Hosts and providers that the owner leaves alone'),
        },
        { title: 'AdminEgressAddress', additionalProperties: false },
      ),
    ),
  },
  {
    title: 'AdminProberList',
    description: 'By name',
    additionalProperties: false,
    examples: [{ probers: [exampleProber], egress_addresses: [exampleEgress] } satisfies AdminProberList],
  },
);

export const accountsQuery = Type.Object({
  ...pageQuery.properties,
  search: Type.Optional(
    Type.String({
      maxLength: contractLimits.accountNameCharacters,
      description: 'An account id, or part of an account name; case does not matter',
    }),
  ),
});

export const healthQuery = Type.Object({
  hours: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: contractLimits.healthHours,
      default: contractLimits.healthHoursUsual,
      description: 'How many hours back verdicts are counted',
    }),
  ),
});

export const accountParameters = Type.Object({
  accountId: Type.String({ description: 'The `account_id` of the account' }),
});

export const accountKeyParameters = Type.Object({
  ...accountParameters.properties,
  keyId: Type.String({ description: 'The `key_id` of the key' }),
});

export const requestParameters = Type.Object({
  requestId: Type.String({ description: 'The `X-Request-Id` of an answer' }),
});

true satisfies SameType<Static<typeof adminAccountPageSchema>, AdminAccountPage>;
true satisfies SameType<Static<typeof adminAccountRequestSchema>, AdminAccountRequest>;
true satisfies SameType<Static<typeof adminAccountChangeSchema>, AdminAccountChange>;
true satisfies SameType<Static<typeof adminGrantRequestSchema>, AdminGrantRequest>;
true satisfies SameType<Static<typeof adminTraceSchema>, AdminRequestTrace>;
true satisfies SameType<Static<typeof auditLogPageSchema>, AuditLogPage>;
true satisfies SameType<Static<typeof adminProberListSchema>, AdminProberList>;
