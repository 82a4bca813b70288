import {
  contractLimits,
  type BulkResultRecord,
  type BulkTaskCreated,
  type BulkTaskProgress,
  type BulkTaskRequest,
} from '@mailproof/client';
import { Type, type Static } from 'typebox';
import { explanationSchema } from './explanation-schema.ts';
import { stringEnum } from './string-enum.ts';
import type { SameType } from './same-type.ts';
import { modeSchema, scoreSchema, statusSchema } from './verification-schemas.ts';

export const bulkRequestSchema = Type.Object(
  {
    emails: Type.Array(Type.String(), {
      minItems: 1,
      maxItems: contractLimits.bulkEmails,
      description:
        'The addresses. Duplicates are removed; entries that are not valid addresses are counted as rejected',
    }),
    name: Type.Optional(
      Type.String({ maxLength: contractLimits.nameCharacters, description: 'A name for the task' }),
    ),
  },
  {
    title: 'BulkRequest',
    examples: [{ emails: ['jane.doe@example.com', 'support@example.com'], name: 'Spring letter' }],
  },
);

const exampleTaskId = '3f2c8a9e-5b1d-4c7e-9a64-0d7e1b2c3f45';
const count = (description: string) => Type.Integer({ minimum: 0, description });

export const bulkCreatedSchema = Type.Object(
  {
    status: Type.Literal('success'),
    task_id: Type.String({ description: 'Identifier of the task (UUID)' }),
    count_submitted: count('Number of addresses submitted'),
    count_duplicates_removed: count('Duplicate addresses removed'),
    count_rejected_emails: count('Strings that are no address'),
    count_processing: count('Addresses being processed'),
  },
  {
    title: 'BulkCreated',
    description: 'The task was accepted',
    additionalProperties: false,
    examples: [
      {
        status: 'success',
        task_id: exampleTaskId,
        count_submitted: 2,
        count_duplicates_removed: 0,
        count_rejected_emails: 0,
        count_processing: 2,
      } satisfies BulkTaskCreated,
    ],
  },
);

const signal = (description: string) => Type.Optional(Type.Boolean({ description }));

const bulkRecordSchema = Type.Object(
  {
    email: Type.String({ description: 'The address' }),
    status: statusSchema,
    overall_score: Type.Optional(scoreSchema),
    is_safe_to_send: signal('Whether the available delivery signals support sending'),
    is_deliverable: signal('Whether the mailbox was reported as deliverable'),
    is_valid_syntax: signal('Whether the address follows email syntax rules'),
    mx_accepts_mail: signal('Whether the domain is configured to receive email'),
    is_catch_all: signal('Present, and true, if the status is `catch_all`'),
    verification_mode: modeSchema,
    explanation: Type.Optional(explanationSchema),
  },
  { title: 'BulkResultRecord', additionalProperties: false },
);

const exampleProgress: BulkTaskProgress = {
  task_id: exampleTaskId,
  name: 'API: Spring letter',
  status: 'completed',
  count_total: 1,
  count_checked: 1,
  progress_percentage: 100,
  results: {
    'jane.doe@example.com': {
      email: 'jane.doe@example.com',
      status: 'safe',
      overall_score: 96,
      is_safe_to_send: true,
      is_deliverable: true,
      is_valid_syntax: true,
      mx_accepts_mail: true,
      verification_mode: 'power',
    },
  },
};

export const bulkProgressSchema = Type.Object(
  {
    task_id: Type.String({ description: 'Task identifier' }),
    name: Type.String({ description: 'The submitted name after the prefix `API: `' }),
    status: stringEnum(['waiting', 'running', 'completed']),
    count_total: count('Total addresses in the task'),
    count_checked: count('Addresses checked so far'),
    progress_percentage: Type.Number({ minimum: 0, maximum: 100, description: '100 when completed' }),
    results: Type.Optional(
      Type.Unsafe<Record<string, Static<typeof bulkRecordSchema>>>({
        type: 'object',
        additionalProperties: bulkRecordSchema,
        description: 'Only when completed. The keys are the addresses as first spelled',
      }),
    ),
  },
  {
    title: 'BulkProgress',
    description: 'Progress, and results when completed',
    additionalProperties: false,
    examples: [exampleProgress],
  },
);

true satisfies SameType<Static<typeof bulkRequestSchema>, BulkTaskRequest>;
true satisfies SameType<Static<typeof bulkCreatedSchema>, BulkTaskCreated>;
true satisfies SameType<Static<typeof bulkRecordSchema>, BulkResultRecord>;
true satisfies SameType<Static<typeof bulkProgressSchema>, BulkTaskProgress>;
