import { Type } from 'typebox';
import { contractLimits } from '@mailproof/client';
import { csrfHeaders } from './page-parameters.ts';

/** Parameters outside the body. They are described here and read, leniently, where they are used. */
export const explainQuery = Type.Object({
  explain: Type.Optional(
    Type.String({
      description: '`true` adds an `explanation` to each record; any other value is ignored',
      examples: ['true'],
    }),
  ),
});

const idempotencyHeaders = Type.Object({
  'idempotency-key': Type.Optional(
    Type.String({
      description:
        'Makes the request safe to repeat for 24 hours: a repeat gets the first answer with its `X-Credits-Used` and `Idempotent-Replayed: true`, and charges nothing. Test keys and live keys are apart. Visible ASCII characters',
      minLength: 1,
      maxLength: contractLimits.idempotencyKeyCharacters,
      pattern: '^[\\x21-\\x7e]+$',
    }),
  ),
});

/** Of a call that creates something. */
export const creationHeaders = Type.Object({ ...idempotencyHeaders.properties, ...csrfHeaders.properties });

/** Of a single verification. */
export const verificationHeaders = Type.Object({
  ...creationHeaders.properties,
  'cache-control': Type.Optional(
    Type.String({
      description:
        '`no-cache` asks the mail host again, even if it answered for the same mailbox within the last minutes (`explanation.asked_at`). Everything else is ignored',
      examples: ['no-cache'],
    }),
  ),
});

export const taskParameters = Type.Object({
  taskId: Type.String({ description: 'The `task_id` returned at creation' }),
});
