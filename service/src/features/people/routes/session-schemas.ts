import {
  personRoles,
  type ProviderRedirect,
  type ProviderSignIn,
  type SessionState,
  type SignIn,
  type SignInOptions,
} from '@mailproof/client';
import { Type, type Static } from 'typebox';
import { accountSchema } from '../../account/routes/account-schemas.ts';
import { stringEnum } from '../../../core/http/schemas/string-enum.ts';
import type { SameType } from '../../../core/http/schemas/same-type.ts';

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
    person: Type.Optional(
      Type.Object(
        {
          person_id: Type.String(),
          email: Type.Unsafe<string | null>({ type: ['string', 'null'] }),
          name: Type.Unsafe<string | null>({ type: ['string', 'null'] }),
          role: stringEnum(personRoles),
          accounts: Type.Array(
            Type.Object(
              { account_id: Type.String(), name: Type.String() },
              { title: 'SessionAccount', additionalProperties: false },
            ),
            { description: 'Every account they are in, this one included' },
          ),
        },
        {
          title: 'SessionPerson',
          description: 'Set if the OpenID provider vouched for a person',
          additionalProperties: false,
        },
      ),
    ),
  },
  {
    title: 'SessionState',
    description: 'The person or key that is signed in',
    additionalProperties: false,
    examples: [example],
  },
);

export const signInOptionsSchema = Type.Object(
  {
    key: Type.Boolean({ description: 'With an API key or the admin token' }),
    provider: Type.Union(
      [
        Type.Object(
          { name: Type.String({ description: 'Its name for people' }) },
          { title: 'SignInProvider', additionalProperties: false },
        ),
        Type.Null(),
      ],
      { description: 'With an OpenID provider, if one is set' },
    ),
  },
  {
    title: 'SignInOptions',
    description: 'The ways to sign in',
    additionalProperties: false,
    examples: [{ key: true, provider: { name: 'Example Login' } }],
  },
);

export const providerSignInSchema = Type.Object(
  {
    invitation: Type.Optional(
      Type.String({ maxLength: 100, description: 'The part after the `#` of an invitation’s link' }),
    ),
    account_id: Type.Optional(
      Type.String({ maxLength: 100, description: 'The account to open, for those who are in several' }),
    ),
  },
  { title: 'ProviderSignIn', examples: [{}] },
);

export const providerRedirectSchema = Type.Object(
  { url: Type.String({ description: 'The URL that the browser must open' }) },
  {
    title: 'ProviderRedirect',
    description: 'The page of the provider',
    additionalProperties: false,
    examples: [{ url: 'https://login.example.com/authorize?client_id=mailproof' }],
  },
);

true satisfies SameType<Static<typeof signInOptionsSchema>, SignInOptions>;
true satisfies SameType<Static<typeof providerSignInSchema>, ProviderSignIn>;
true satisfies SameType<Static<typeof providerRedirectSchema>, ProviderRedirect>;
true satisfies SameType<Static<typeof signInSchema>, SignIn>;
true satisfies SameType<Static<typeof sessionSchema>, SessionState>;
