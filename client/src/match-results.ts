import type { BulkResultRecord } from './verification-types.ts';
import { parseUrl } from './request.ts';

/**
 * Finds the record of each address among the results of its task, in the order of the addresses; undefined if the
 * service rejected it. A duplicate is listed under its first spelling. Two addresses are the same if they agree
 * without regard to case, the domain in its ASCII form.
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

/**
 * The same text for addresses that the service takes for the same: they agree without regard to case, the domain in
 * its ASCII form.
 */
function addressKey(address: string): string {
  const at = address.lastIndexOf('@');
  return `${address.slice(0, at + 1).toLowerCase()}${asciiDomain(address.slice(at + 1))}`;
}

/** URL does UTS-46 wherever there is fetch. Domains that it refuses or reads differently are compared as they are. */
function asciiDomain(domain: string): string {
  const lower = domain.toLowerCase();
  if (/^[a-z0-9.-]*$/.test(lower) || /[/?#:@\\]/.test(lower)) return lower;
  return parseUrl(`http://${lower}`)?.hostname ?? lower;
}
