/** The mailboxes of a benchmark's world, as a rule and not as a list, so that both sides know them without memory. */
import type { Temper, WorldDescription } from '@mailproof/world';

export type Population = {
  addresses: number;
  domains: number;
  /** Mail hosts, each with an IP address of its own; domains are dealt out to them in turn. */
  hosts: number;
  latencyMs: number;
  temper?: Temper;
  /** Each domain names its mail host by a name of its own, so that none shares a conversation. */
  ownNames?: boolean;
};

/** Four of five mailboxes exist. Neighbours on the list are at different domains. */
export function addressOf(index: number, { domains }: Population): { email: string; status: string } {
  const resident = Math.floor(index / domains);
  const exists = resident % 5 < 4;
  const domain = `d${index % domains}.test`;
  return {
    email: `${exists ? 'alive' : 'nobody'}${resident}@${domain}`,
    status: exists ? 'safe' : 'invalid',
  };
}

/** Domains outside the measurement, so that the engine learns nothing of use from them. */
const warmUpDomains = 50;

export function warmUpAddressOf(index: number): string {
  return `alive0@w${index % warmUpDomains}.test`;
}

export function populate(population: Population): WorldDescription {
  const { addresses, domains, hosts, latencyMs, temper = {}, ownNames = false } = population;
  const residents = Math.ceil(addresses / domains);
  const mailboxes = Object.fromEntries(
    Array.from({ length: residents }, (_, resident) => [`alive${resident}`, 'exists' as const]),
  );
  const description: WorldDescription = { zones: {}, hosts: {} };
  for (let host = 0; host < hosts; host += 1)
    description.hosts[`mx${host}.test`] = { address: hostAddress(host), temper, mailboxes, latencyMs };
  for (let domain = 0; domain < domains; domain += 1) {
    const host = domain % hosts;
    const name = ownNames ? `mx.d${domain}.test` : `mx${host}.test`;
    description.zones[`d${domain}.test`] = { mx: [[10, name]], ttl: 3_600 };
    if (ownNames) description.zones[name] = { a: [hostAddress(host)], ttl: 3_600 };
  }
  for (let domain = 0; domain < warmUpDomains; domain += 1) {
    const name = `mx.w${domain}.test`;
    description.zones[`w${domain}.test`] = { mx: [[10, name]] };
    description.hosts[name] = { temper, mailboxes: { alive0: 'exists' } };
  }
  return description;
}

export function hostAddress(host: number): string {
  return `127.20.${host >> 7}.${(host & 127) + 1}`;
}
