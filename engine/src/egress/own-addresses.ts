import { networkInterfaces } from 'node:os';
import type { Clock } from '../clock.ts';

/** The addresses of this machine's interfaces at this moment. */
export function ownAddresses(): string[] {
  return Object.values(networkInterfaces()).flatMap((entries = []) =>
    // A link-local address may carry its zone, which is no part of the address.
    entries.map(({ address }) => address.split('%')[0] ?? address),
  );
}

const lookEveryMs = 1_000;

/** The same, looked at anew once a second at most: interfaces come and go, but not between two dials. */
export function watchOwnAddresses(clock: Pick<Clock, 'now'>): () => readonly string[] {
  let seen: { at: number; addresses: string[] } | undefined;
  return () => {
    if (seen === undefined || clock.now() - seen.at >= lookEveryMs) {
      seen = { at: clock.now(), addresses: ownAddresses() };
    }
    return seen.addresses;
  };
}
