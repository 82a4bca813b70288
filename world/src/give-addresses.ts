/**
 * Gives every host an address of its own and every host name its records, so that a description
 * need not repeat itself. Also adds the visitor's own domain, for checks of HELO name and sender, and the names that the
 * visitor tries a resolver by.
 */
import type { HostDescription, WorldDescription } from './description.ts';
import type { Zone } from './dns/zone.ts';

type Addressed = {
  zones: Record<string, Zone>;
  hosts: Record<string, HostDescription & { address: string }>;
};

export function giveAddresses(description: WorldDescription, visitor: string): Addressed {
  const taken = new Set<string>();
  const hosts: Addressed['hosts'] = {};
  const zones: Record<string, Zone> = { ...visitorZones(visitor), ...wellKnownZones(), ...description.zones };
  for (const { address } of Object.values(description.hosts)) {
    if (address === undefined) continue;
    if (taken.has(address)) throw new Error(`two mail hosts at ${address}`);
    taken.add(address);
  }
  const free = freeAddresses(taken);
  for (const [name, host] of Object.entries(description.hosts)) {
    const address = host.address ?? free();
    hosts[name] = { ...host, address };
    zones[name] = { ...(address.includes(':') ? { aaaa: [address] } : { a: [address] }), ...zones[name] };
    zones[reverseName(address)] = { ptr: [name], ...zones[reverseName(address)] };
  }
  return { zones, hosts };
}

/** Hands out 127.10.0.1, 127.10.0.2 … past those taken. */
function freeAddresses(taken: Set<string>): () => string {
  let last = 0;
  return () => {
    do last += 1;
    while (taken.has(nth(last)));
    if (last >= 65_535) throw new Error('more mail hosts than addresses in 127.10.0.0/16');
    return nth(last);
  };
}

function nth(number: number): string {
  return `127.10.${number >> 8}.${number & 255}`;
}

function reverseName(address: string): string {
  if (address === '::1') return `1.${'0.'.repeat(31)}ip6.arpa`;
  return `${address.split('.').reverse().join('.')}.in-addr.arpa`;
}

function visitorZones(visitor: string): Record<string, Zone> {
  return {
    [visitor]: { a: ['127.0.0.1'], mx: [[10, visitor]], txt: ['v=spf1 ip4:127.0.0.1 -all'] },
    '1.0.0.127.in-addr.arpa': { ptr: [visitor] },
  };
}

/** Domains that a verifier expects to find in any DNS; nobody listens at their mail host here. */
const wellKnownDomains = ['gmail.com', 'outlook.com', 'icloud.com'];

function wellKnownZones(): Record<string, Zone> {
  return Object.fromEntries(
    wellKnownDomains.flatMap((domain): [string, Zone][] => [
      [domain, { mx: [[10, `mx.${domain}`]], a: ['127.11.0.1'] }],
      [`mx.${domain}`, { a: ['127.11.0.1'] }],
    ]),
  );
}
