import type { ErrorReason } from '@mailproof/client';
import type { OperatorChecks } from '../../../core/http/pipeline/authenticate-operator.ts';
import type { TSchema } from 'typebox';
import type { OperatorActions } from '../operator-actions.ts';
import { adminReasons } from './admin-schemas.ts';
import { errorResponses } from '../../../core/http/schemas/errors.ts';
import { requestIdHeader } from '../../../core/http/schemas/headers.ts';
import { byToken } from '../../../core/http/schemas/security.ts';

/** What the routes of the operator have in common. */
export type AdminRouteParts = { operator: OperatorActions; onRequest: OperatorChecks };

export const adminRoute = { tags: ['Administration'], security: byToken };

/** A body as the answer to a request; the headers are for the reference. */
export function answering<Schema extends TSchema>(schema: Schema): Schema {
  return { ...schema, headers: requestIdHeader };
}

/** What a route may be refused with, besides what every route of the operator may. */
export function adminErrors(...reasons: ErrorReason[]): Record<number, object> {
  return errorResponses([...adminReasons, ...reasons], { credits: false });
}
