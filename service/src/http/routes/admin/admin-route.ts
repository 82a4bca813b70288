import type { ErrorReason } from '@mailproof/client';
import type { GateHooks } from '../../operator-gate.ts';
import type { TSchema } from 'typebox';
import type { OperatorDesk } from '../../../operator/create-operator-desk.ts';
import { adminReasons } from '../../schemas/admin-schemas.ts';
import { errorResponses } from '../../schemas/error-schema.ts';
import { requestIdHeader } from '../../schemas/headers.ts';

/** What the routes of the operator have in common. */
export type AdminRouteParts = { desk: OperatorDesk; onRequest: GateHooks };

export const adminRoute = { tags: ['Administration'], security: [{ adminToken: [] }] };

/** A body as the answer to a request; the headers are for the reference. */
export function answering<Schema extends TSchema>(schema: Schema): Schema {
  return { ...schema, headers: requestIdHeader };
}

/** What a route may be refused with, beside what all of the operator's may. */
export function adminErrors(...reasons: ErrorReason[]): Record<number, object> {
  return errorResponses([...adminReasons, ...reasons], { credits: false });
}

/** What cannot be an id need not be looked for, and need not fit what a database takes for text. */
export function isId(text: string): boolean {
  return /^\w{1,64}$/.test(text);
}
