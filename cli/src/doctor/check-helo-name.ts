import type { DoctorParts, Finding } from './check.ts';
import { findAddresses } from './find-addresses.ts';

const check = 'HELO name';
const addressesMax = 4;

/**
 * The name we introduce ourselves by has an address, and that address points back to the name. Large
 * providers refuse or defer strangers where it does not.
 */
export async function checkHeloName(parts: DoctorParts): Promise<Finding> {
  const { heloName } = parts;
  const remedy = 'Set MAILPROOF_HELO_NAME to a name in DNS that has the public address of this machine.';
  if (/(?:^|\.)(?:localdomain|localhost|local|internal|invalid)$/.test(heloName)) {
    return { check, state: 'problem', seen: `${heloName} is no name that others can look up`, remedy };
  }
  const found = await findAddresses(heloName, parts);
  switch (found.kind) {
    case 'failed':
      return {
        check,
        state: 'not_checked',
        seen: `${heloName} could not be looked up: the resolver gave no answer`,
      };
    case 'none':
      return { check, state: 'problem', seen: `${heloName} has no address in DNS`, remedy };
    case 'found':
      return await checkPointsBack(found.addresses.slice(0, addressesMax), parts);
  }
}

async function checkPointsBack(addresses: string[], parts: DoctorParts): Promise<Finding> {
  const { heloName } = parts;
  const named = await Promise.all(addresses.map((address) => namesOf(address, parts)));
  const astray = named.filter(({ names }) => !names.includes(heloName));
  const first = astray[0];
  if (first === undefined) {
    const where = addresses.some((address) => parts.ownAddresses.includes(address))
      ? ''
      : ', which is not an address of this machine (well behind NAT)';
    return { check, state: 'ok', seen: `${heloName} is ${addresses.join(', ')} and back${where}` };
  }
  const seen =
    first.names.length === 0 ? 'points to no name' : `points to ${first.names.slice(0, 3).join(', ')}`;
  return {
    check,
    state: 'problem',
    seen: `${heloName} is ${first.address}, but ${first.address} ${seen}`,
    remedy: `Let the reverse DNS (PTR) of ${first.address} name ${heloName}; whoever gave you the address can set it.`,
  };
}

async function namesOf(
  address: string,
  { resolver, patience }: DoctorParts,
): Promise<{ address: string; names: string[] }> {
  const lookup = await resolver.reverse(address, patience());
  const names = lookup.kind === 'found' ? lookup.records : [];
  return { address, names: names.map((name) => name.toLowerCase().replace(/\.$/, '')) };
}
