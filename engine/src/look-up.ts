import type { Evidence } from './evidence.ts';
import type { Address } from './syntax/address.ts';
import { withRoute, type RecallParts, type VerifyRequest } from './verify.ts';

/**
 * The story of `verify.ts` up to DNS: all that can be known of an address without asking its mail host. The route is
 * absent where the operator denied the address, and undetermined where DNS did not answer in time.
 */
export async function lookUp(
  address: Address,
  { lists, mailRoutes }: Pick<RecallParts, 'lists' | 'mailRoutes'>,
  request: VerifyRequest,
): Promise<Evidence> {
  const listed = lists.find(address);
  if (listed.denied) return { address, lists: listed };
  return withRoute(listed, await mailRoutes.find(address, request), { address, lists });
}
