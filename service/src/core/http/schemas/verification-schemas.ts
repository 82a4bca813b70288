import {
  contractLimits,
  type VerificationRequest,
  type VerificationResult,
  type VerificationStatus,
} from '@mailproof/client';
import { Type, type Static } from 'typebox';
import { explanationSchema } from './explanation-schema.ts';
import { stringEnum } from './string-enum.ts';
import type { SameType } from './same-type.ts';

export const statusSchema = stringEnum(
  [
    'safe',
    'invalid',
    'disabled',
    'disposable',
    'inbox_full',
    'catch_all',
    'role_account',
    'spamtrap',
    'unknown',
  ],
  { description: 'The outcome; every status except `unknown` is charged' },
);

export const modeSchema = Type.Literal('power', { description: 'Always `power`' });

export const scoreSchema = Type.Number({
  minimum: 0,
  maximum: 100,
  description: 'An estimate, in percent, of the chance that a message sent now is delivered',
});

export const verificationRequestSchema = Type.Object(
  {
    email: Type.String({
      minLength: 1,
      maxLength: contractLimits.emailCharacters,
      description: 'The address to verify. White space around it is trimmed',
    }),
  },
  { title: 'VerificationRequest', examples: [{ email: 'jane.doe@example.com' }] },
);

const exampleResult: VerificationResult = {
  email: 'jane.doe@example.com',
  status: 'safe',
  overall_score: 96,
  username: 'jane.doe',
  domain: 'example.com',
  is_safe_to_send: true,
  is_valid_syntax: true,
  mx_accepts_mail: true,
  can_connect_smtp: true,
  has_inbox_full: false,
  is_deliverable: true,
  is_disposable: false,
  is_role_account: false,
  is_catch_all: false,
  is_disabled: false,
  is_spamtrap: false,
  is_free_email: false,
  mx_records: ['mx1.example.com', 'mx2.example.com'],
  verification_mode: 'power',
};

const signal = (description: string) => Type.Optional(Type.Boolean({ description }));

export const verificationResultSchema = Type.Object(
  {
    email: Type.String({ description: 'The address that was verified' }),
    status: statusSchema,
    overall_score: Type.Optional(scoreSchema),
    username: Type.Optional(Type.String({ description: 'Part of the address before the @ sign' })),
    domain: Type.Optional(Type.String({ description: 'Domain of the address' })),
    is_safe_to_send: signal('Whether the available delivery signals support sending'),
    is_valid_syntax: signal('Whether the address follows email syntax rules'),
    mx_accepts_mail: signal('Whether the domain is configured to receive email'),
    can_connect_smtp: signal('Whether an SMTP connection was established'),
    has_inbox_full: signal('Whether the mailbox is full'),
    is_deliverable: signal('Whether the mailbox was reported as deliverable'),
    is_disposable: signal('Whether the address belongs to a disposable email service'),
    is_role_account: signal('Whether the address represents a role (for example support@)'),
    is_catch_all: signal('Whether the server accepts mail for addresses that may not exist'),
    is_disabled: signal('Whether the mailbox is disabled'),
    is_spamtrap: signal('Whether the address is identified as a spam trap'),
    is_free_email: signal('Whether the address uses a common free email provider'),
    mx_records: Type.Optional(
      Type.Array(Type.String(), { description: 'Mail hosts of the domain in order of preference' }),
    ),
    verification_mode: modeSchema,
    explanation: Type.Optional(explanationSchema),
  },
  {
    title: 'VerificationResult',
    description:
      'The verification result. It carries only signals that have evidence: an absent field was not checked.',
    additionalProperties: false,
    examples: [exampleResult],
  },
);

true satisfies SameType<Static<typeof statusSchema>, VerificationStatus>;
true satisfies SameType<Static<typeof verificationRequestSchema>, VerificationRequest>;
true satisfies SameType<Static<typeof verificationResultSchema>, VerificationResult>;
