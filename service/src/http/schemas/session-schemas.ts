import type { SessionState, SignIn } from '@mailproof/client';
import { Type, type Static } from 'typebox';
import { accountSchema } from './account-schemas.ts';
import { stringEnum } from './string-enum.ts';
import type { SameType } from './same-type.ts';

export const signInSchema = Type.Object(
  {
    key: Type.Optional(Type.String({ description: 'An API key of the account' })),
    admin_token: Type.Optional(Type.String({ description: "The operator's token, in place of a key" })),
  },
  { title: 'SignIn', description: 'Exactly one of the two', examples: [{ key: 'mp_live_…' }] },
);

const example: SessionState = {
  kind: 'operator',
  csrf_token: 'q1f4Z3vKj0mR7xT2bYc8eWnLsAhDgUpIoV5kQ9rE6wM',
};

export const sessionSchema = Type.Object(
  {
    kind: stringEnum(['account', 'operator']),
    csrf_token: Type.String({ description: 'Send it as `X-CSRF-Token` with every request except GET' }),
    account: Type.Optional(accountSchema),
  },
  {
    title: 'SessionState',
    description: 'Who is signed in',
    additionalProperties: false,
    examples: [example],
  },
);

true satisfies SameType<Static<typeof signInSchema>, SignIn>;
true satisfies SameType<Static<typeof sessionSchema>, SessionState>;
