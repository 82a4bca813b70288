import { Type } from 'typebox';
import { contractLimits } from '@mailproof/client';

/** Parameters outside the body. They are described here and read, leniently, where they are used. */
export const explainQuery = Type.Object({
  explain: Type.Optional(
    Type.String({
      description: '`true` adds an `explanation` to each record; any other value is ignored',
      examples: ['true'],
    }),
  ),
});

export const idempotencyHeaders = Type.Object({
  'idempotency-key': Type.Optional(
    Type.String({
      description:
        'Makes the request safe to repeat for 24 hours: a repeat gets the first answer and charges nothing. Visible ASCII characters',
      minLength: 1,
      maxLength: contractLimits.idempotencyKeyCharacters,
      pattern: '^[\\x21-\\x7e]+$',
    }),
  ),
});

export const taskParameters = Type.Object({
  taskId: Type.String({ description: 'The `task_id` returned at creation' }),
});
