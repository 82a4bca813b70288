import type { BulkResultRecord } from './bulk-task.ts';
import { addressKey } from './address-key.ts';

/**
 * Finds each address's record among the results of its task, in the order of the addresses; nothing where
 * the service rejected it. A duplicate has no record of its own: it is listed under its first spelling,
 * and two addresses are the same if they agree without regard to case, the domain in its ASCII form.
 */
export function matchResults(
  emails: readonly string[],
  results: Readonly<Record<string, BulkResultRecord>>,
): (BulkResultRecord | undefined)[] {
  let byKey: Map<string, BulkResultRecord> | undefined;
  return emails.map((email) => {
    const spelling = email.trim();
    if (Object.hasOwn(results, spelling)) return results[spelling];
    byKey ??= new Map(
      Object.entries(results).map(([listed, record]) => [addressKey(listed), record] as const),
    );
    return byKey.get(addressKey(spelling));
  });
}
