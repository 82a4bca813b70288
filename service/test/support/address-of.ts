import { parseAddress, type Address } from '@mailproof/engine';

/** Parses an address that a test writes as text. */
export function addressOf(email: string): Address {
  const parsed = parseAddress(email);
  if (parsed.kind === 'invalid') throw new Error(`${email}: ${parsed.fault}`);
  return parsed.address;
}
