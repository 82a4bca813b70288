import type { DoctorParts, Finding } from './check.ts';
import { findAddresses } from './find-addresses.ts';

const check = 'HELO name';
const addressesMax = 4;

/**
 * The HELO name has an IP address, and that address has a reverse DNS name that leads back to it. Large providers
 * reject or defer clients where it does not.
 */
export async function checkHeloName(parts: DoctorParts): Promise<Finding> {
  const { heloName } = parts;
  const remedy =
    'Set MAILPROOF_HELO_NAME to a DNS name that resolves to the public IP address of this machine.';
  if (/(?:^|\.)(?:localdomain|localhost|local|internal|invalid)$/.test(heloName)) {
    return { check, state: 'problem', seen: `${heloName} is not a name that others can look up`, remedy };
  }
  const found = await findAddresses(heloName, parts);
  switch (found.kind) {
    case 'failed':
      return {
        check,
        state: 'not_checked',
        seen: `${heloName} could not be looked up: the resolver did not answer`,
      };
    case 'none':
      return { check, state: 'problem', seen: `${heloName} has no IP address in DNS`, remedy };
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
      : ', which is not a local address (normal behind NAT)';
    return { check, state: 'ok', seen: `${heloName} resolves to ${addresses.join(', ')} and back${where}` };
  }
  const seen =
    first.names.length === 0
      ? 'has no reverse DNS name'
      : `has the reverse DNS name ${first.names.slice(0, 3).join(', ')}`;
  return {
    check,
    state: 'problem',
    seen: `${heloName} resolves to ${first.address}, but ${first.address} ${seen}`,
    remedy: `Have the reverse DNS (PTR) record of ${first.address} set to ${heloName}. The provider of the IP address can do this.`,
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
