import {
  personRoles,
  type CreatedInvitation,
  type Invitation,
  type InvitationRequest,
  type PeopleList,
  type Person,
  type PersonChange,
} from '@mailproof/client';
import { Type, type Static } from 'typebox';
import type { SameType } from '../../../core/http/schemas/same-type.ts';
import { stringEnum } from '../../../core/http/schemas/string-enum.ts';

const roleSchema = {
  ...stringEnum(personRoles),
  description:
    '`owner`: everything. `member`: verifies, runs tasks and lists, reads the account. `viewer`: reads only',
};

const nullableText = (description: string) =>
  Type.Unsafe<string | null>({ type: ['string', 'null'], description });

const examplePerson: Person = {
  person_id: '0b6f2f0e-8a53-4c1e-9d59-4f6a3a1f7c11',
  email: 'jane@example.com',
  name: 'Jane Example',
  role: 'member',
  created_at: '2026-01-02T03:04:05.678Z',
  signed_in_at: '2026-01-03T03:04:05.678Z',
  current: false,
};

export const personSchema = Type.Object(
  {
    person_id: Type.String(),
    email: nullableText('As the provider has verified it; null where it has not'),
    name: nullableText('As the provider told it'),
    role: roleSchema,
    created_at: Type.String({ format: 'date-time' }),
    signed_in_at: Type.String({ format: 'date-time', description: 'The last sign-in' }),
    current: Type.Boolean({ description: 'Whether it is the caller' }),
  },
  {
    title: 'Person',
    description: 'A person who signs in with the provider',
    additionalProperties: false,
    examples: [examplePerson],
  },
);

const exampleInvitation: Invitation = {
  invitation_id: '6f1c1f57-3f6c-4b55-8a3e-0f5b5a2d9c11',
  role: 'viewer',
  email: 'joe@example.com',
  created_at: '2026-01-02T03:04:05.678Z',
  expires_at: '2026-01-09T03:04:05.678Z',
};

const invitationFields = {
  invitation_id: Type.String(),
  role: roleSchema,
  email: nullableText('The only address that may accept it; null: any holder of the link'),
  created_at: Type.String({ format: 'date-time' }),
  expires_at: Type.String({ format: 'date-time' }),
};

const invitationSchema = Type.Object(invitationFields, {
  title: 'Invitation',
  description: 'An invitation that is not accepted yet',
  additionalProperties: false,
  examples: [exampleInvitation],
});

export const peopleListSchema = Type.Object(
  { people: Type.Array(personSchema), invitations: Type.Array(invitationSchema) },
  {
    title: 'PeopleList',
    description: 'The people of the account, and the open invitations to it',
    additionalProperties: false,
    examples: [{ people: [examplePerson], invitations: [exampleInvitation] }],
  },
);

export const invitationRequestSchema = Type.Object(
  {
    role: roleSchema,
    email: Type.Optional(
      Type.Unsafe<string | null>({
        type: ['string', 'null'],
        maxLength: 254,
        description: 'If set, only a person who signs in with this verified address may accept',
      }),
    ),
  },
  { title: 'InvitationRequest', examples: [{ role: 'viewer', email: 'joe@example.com' }] },
);

export const createdInvitationSchema = Type.Object(
  {
    ...invitationFields,
    url: Type.String({ description: 'The link. It is shown here and never again' }),
  },
  {
    title: 'CreatedInvitation',
    description: 'The invitation, with its link',
    additionalProperties: false,
    examples: [{ ...exampleInvitation, url: 'https://mailproof.example/invitation#…' }],
  },
);

export const personChangeSchema = Type.Object(
  { role: roleSchema },
  { title: 'PersonChange', examples: [{ role: 'owner' }] },
);

export const personParameters = Type.Object({
  personId: Type.String({ description: 'The `person_id` of the person' }),
});

export const invitationParameters = Type.Object({
  invitationId: Type.String({ description: 'The `invitation_id` of the invitation' }),
});

true satisfies SameType<Static<typeof peopleListSchema>, PeopleList>;
true satisfies SameType<Static<typeof invitationRequestSchema>, InvitationRequest>;
true satisfies SameType<Static<typeof createdInvitationSchema>, CreatedInvitation>;
true satisfies SameType<Static<typeof personChangeSchema>, PersonChange>;
