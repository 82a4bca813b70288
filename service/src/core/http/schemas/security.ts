import type { KeyScope } from '@mailproof/client';

/**
 * Returns who may call: any one of the listed schemes is enough. Their names are those of the document
 * (routes/openapi.ts).
 */
export function byKey(scope: KeyScope): Record<string, string[]>[] {
  return [{ apiKey: [scope] }, { session: [scope] }];
}
/** An owner, or a live key without limits: there is no scope for that. */
export const byOwner = [{ apiKey: [] }, { session: [] }];
export const byFormKey = [{ formKey: [] }];
export const byToken = [{ adminToken: [] }, { session: [] }];
export const bySession = [{ session: [] }];
export const byProber = [{ proberSecret: [] }];
export const byAnybody: Record<string, string[]>[] = [];
