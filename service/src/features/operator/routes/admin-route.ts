import type { ErrorReason } from '@mailproof/client';
import type { OperatorChecks } from '../../../core/http/pipeline/authenticate-operator.ts';
import type { TSchema } from 'typebox';
import type { OperatorActions } from '../operator-actions.ts';
import { adminReasons } from './admin-schemas.ts';
import { errorResponses } from '../../../core/http/schemas/errors.ts';
import { requestIdHeader } from '../../../core/http/schemas/headers.ts';
import { byToken } from '../../../core/http/schemas/security.ts';

/** Common parts of the operator's routes. */
export type AdminRouteParts = { operator: OperatorActions; onRequest: OperatorChecks };

export const adminRoute = { tags: ['Administration'], security: byToken };

/** Adds the response headers to a body's schema, for the reference. */
export function answering<Schema extends TSchema>(schema: Schema): Schema {
  return { ...schema, headers: requestIdHeader };
}

/** Describes a route's own refusals beside those of all operator routes. */
export function adminErrors(...reasons: ErrorReason[]): Record<number, object> {
  return errorResponses([...adminReasons, ...reasons], { credits: false });
}
