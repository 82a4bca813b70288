import type { Explanation } from '@mailproof/client';
import { Type, type Static } from 'typebox';
import { stringEnum } from './string-enum.ts';
import type { SameType } from './same-type.ts';

const repliesSchema = Type.Array(
  Type.Object({
    phase: stringEnum([
      'connect',
      'banner',
      'ehlo',
      'starttls',
      'mail',
      'rcpt',
      'random_rcpt',
      'rset',
      'quit',
    ]),
    code: Type.Integer(),
    enhanced: Type.Optional(Type.String()),
    text: Type.String(),
  }),
);

export const explanationSchema = Type.Object(
  {
    stage: stringEnum(['syntax', 'lists', 'dns', 'smtp'], { description: 'The stage that decided' }),
    reason: Type.String({ description: 'A stable snake_case code' }),
    retry: Type.Object({ advised: Type.Boolean(), after_seconds: Type.Optional(Type.Integer()) }),
    asked_at: Type.Optional(
      Type.String({ description: 'When the mail host gave the answer, if that was before this request' }),
    ),
    did_you_mean: Type.Optional(
      Type.String({ description: 'The domain of a large provider that this one is a slip away from' }),
    ),
    parked: Type.Optional(
      Type.Literal(true, { description: 'The mail of the domain goes to a service that parks unused names' }),
    ),
    is_relay: Type.Optional(
      Type.Literal(true, {
        description: 'The address is at a privacy relay, which forwards mail to a mailbox of its owner',
      }),
    ),
    not_for_bulk: Type.Optional(
      Type.Literal(true, {
        description: 'A role that must not receive bulk mail, such as `abuse`, `noreply` or `everyone`',
      }),
    ),
    is_machine: Type.Optional(
      Type.Literal(true, {
        description: 'A program made the local part for one message: BATV (`prvs=`), SRS, VERP, `bounce+…`',
      }),
    ),
    mail_host: Type.Optional(Type.String({ description: 'The mail host that was asked' })),
    replies: repliesSchema,
    timings_ms: Type.Object({
      dns: Type.Optional(Type.Integer()),
      smtp: Type.Optional(Type.Integer()),
      total: Type.Integer(),
    }),
    visits: Type.Optional(
      Type.Array(
        Type.Object({
          at: Type.String({ description: 'When it ended (ISO 8601, UTC)' }),
          reason: Type.String(),
          replies: repliesSchema,
        }),
        {
          maxItems: 5,
          description:
            'Only in a task whose mail host deferred us and was asked again: every visit, including the last',
        },
      ),
    ),
  },
  { title: 'Explanation', description: 'Why the verdict is what it is; only with `?explain=true`' },
);

true satisfies SameType<Static<typeof explanationSchema>, Explanation>;
