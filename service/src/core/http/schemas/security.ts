import type { KeyScope } from '@mailproof/client';

/** Who may call: any one of the schemes of a list is enough. Their names are those of the document (routes/openapi.ts). */
export function byKey(scope: KeyScope): Record<string, string[]>[] {
  return [{ apiKey: [scope] }, { session: [scope] }];
}
/** An owner, or a live key without limits: no scope stands for that. */
export const byOwner = [{ apiKey: [] }, { session: [] }];
export const byFormKey = [{ formKey: [] }];
export const byToken = [{ adminToken: [] }, { session: [] }];
export const bySession = [{ session: [] }];
export const byProber = [{ proberSecret: [] }];
export const byAnybody: Record<string, string[]>[] = [];
