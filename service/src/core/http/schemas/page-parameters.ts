import { contractLimits } from '@mailproof/client';
import { Type } from 'typebox';

/** Opaque to clients, but not any text: what is no cursor is refused (parameters/cursors.ts). */
export function cursorSchema(description: string) {
  return Type.String({ description, minLength: 1, maxLength: 200, pattern: '^[A-Za-z0-9_-]+$' });
}

/** Which page of a list is requested. Described here, read by parameters/read-page.ts. */
export const pageQuery = Type.Object({
  limit: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: contractLimits.pageEntries,
      default: contractLimits.pageEntriesUsual,
      description: 'Entries per page',
    }),
  ),
  before: Type.Optional(cursorSchema('`next` of the previous page')),
});

export const usageQuery = Type.Object({
  days: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: contractLimits.usageDays,
      default: contractLimits.usageDaysUsual,
      description: 'How many days, today included',
    }),
  ),
});

export const keyParameters = Type.Object({ keyId: Type.String({ description: 'The `key_id` of the key' }) });

export const csrfHeaders = Type.Object({
  'x-csrf-token': Type.Optional(
    Type.String({ description: 'With a session cookie in place of a key: the `csrf_token` of the session' }),
  ),
});
