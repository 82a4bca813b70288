import {
  contractLimits,
  type FormCheckResult,
  type FormKey,
  type FormKeyList,
  type FormKeyRequest,
} from '@mailproof/client';
import { Type, type Static } from 'typebox';
import type { SameType } from '../../../core/http/schemas/same-type.ts';
import { stringEnum } from '../../../core/http/schemas/string-enum.ts';

export const formCheckRequestSchema = Type.Object(
  { email: Type.String({ minLength: 1, maxLength: 1_000 }) },
  { title: 'FormCheckRequest', examples: [{ email: 'jane@gmial.com' }] },
);

export const formCheckResultSchema = Type.Unsafe<FormCheckResult>({
  title: 'FormCheckResult',
  description: 'What syntax, lists and DNS tell of the address; its mail server is not asked',
  type: 'object',
  additionalProperties: false,
  required: ['result'],
  properties: {
    result: {
      ...stringEnum(['ok', 'typo', 'undeliverable', 'disposable', 'unchecked']),
      description:
        '`typo`: one slip away from a large provider. `undeliverable`: not an address, or its domain takes no mail. `disposable`: a throw-away service. `unchecked`: it could not be told in time',
    },
    did_you_mean: { type: 'string', description: 'With `typo`: the address that was most likely meant' },
  },
  examples: [{ result: 'typo', did_you_mean: 'jane@gmail.com' } satisfies FormCheckResult],
});

const exampleKey: FormKey = {
  form_key: 'mp_pub_…',
  name: 'Sign-up form',
  origins: ['https://www.example.com'],
  checks_per_day: 10_000,
  checks_per_visitor: 100,
  created_at: '2026-01-02T03:04:05.678Z',
};

const checksPerDay = Type.Integer({
  minimum: 1,
  maximum: 10_000_000,
  description: 'Checks a day (UTC) with this key; 10,000 unless set',
});
const checksPerVisitor = Type.Integer({
  minimum: 1,
  maximum: 10_000_000,
  description: 'Checks a day for one client address; 100 unless set',
});

export const formKeySchema = Type.Object(
  {
    form_key: Type.String({ description: 'The whole key. It is not a secret: it stands in your pages' }),
    name: Type.String(),
    origins: Type.Array(Type.String(), { description: 'The pages that may use it' }),
    checks_per_day: checksPerDay,
    checks_per_visitor: checksPerVisitor,
    created_at: Type.String(),
  },
  {
    title: 'FormKey',
    description: 'A publishable key',
    additionalProperties: false,
    examples: [exampleKey],
  },
);

export const formKeyListSchema = Type.Object(
  { form_keys: Type.Array(formKeySchema) },
  {
    title: 'FormKeyList',
    description: 'All publishable keys that are not deleted, newest first',
    additionalProperties: false,
    examples: [{ form_keys: [exampleKey] } satisfies FormKeyList],
  },
);

export const formKeyRequestSchema = Type.Object(
  {
    name: Type.Optional(Type.String({ minLength: 1, maxLength: contractLimits.keyNameCharacters })),
    origins: Type.Array(Type.String({ minLength: 1, maxLength: 200 }), {
      minItems: 1,
      maxItems: 20,
      description: 'Scheme, host and port of each page that may use the key, as in `https://www.example.com`',
    }),
    checks_per_day: Type.Optional(checksPerDay),
    checks_per_visitor: Type.Optional(checksPerVisitor),
  },
  { title: 'FormKeyRequest', examples: [{ name: 'Sign-up form', origins: ['https://www.example.com'] }] },
);

export const formKeyParameters = Type.Object({
  formKey: Type.String({ description: 'The whole key, `mp_pub_…`' }),
});

true satisfies SameType<Static<typeof formKeySchema>, FormKey>;
true satisfies SameType<Static<typeof formKeyListSchema>, FormKeyList>;
true satisfies SameType<Static<typeof formKeyRequestSchema>, FormKeyRequest>;
