import type { Evidence } from './evidence.ts';
import type { Lists } from './lists/load-lists.ts';
import type { Address } from './syntax/address.ts';
import { withRoute, type RecallParts, type VerifyRequest } from './verify.ts';

/**
 * Tells the story of `verify.ts` up to DNS, for callers that may learn of the domain and nothing of its mailboxes.
 * Entries of the operator's lists that name a single address, or its hash, do not count. The route is absent if the
 * operator denied the domain, and undetermined if DNS did not answer in time.
 */
export async function lookUp(
  address: Address,
  {
    lists: { byDomain: lists },
    mailRoutes,
  }: Pick<RecallParts, 'mailRoutes'> & { lists: Pick<Lists, 'byDomain'> },
  request: VerifyRequest,
): Promise<Evidence> {
  const listed = lists.find(address);
  if (listed.denied) return { address, lists: listed };
  return withRoute(listed, await mailRoutes.find(address, request), { address, lists });
}
