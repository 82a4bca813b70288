import { networkInterfaces } from 'node:os';

/** The addresses of this machine's interfaces at this moment. They come and go, so ask again each time. */
export function ownAddresses(): string[] {
  return Object.values(networkInterfaces()).flatMap((entries = []) =>
    // A link-local address may carry its zone, which is no part of the address.
    entries.map(({ address }) => address.split('%')[0] ?? address),
  );
}
