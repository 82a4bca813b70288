/**
 * A place of a world: a domain with its mail hosts and the people one can ask for there, each with
 * what a verifier must find out. Worlds with a cast are written as lists of places.
 */
import type { HostDescription, WorldDescription } from '../description.ts';
import type { Zone } from '../dns/zone.ts';
import type { Mailbox, Temper } from '../smtp/temper.ts';

/** The statuses of the interface. */
export type ExpectedStatus =
  | 'safe'
  | 'invalid'
  | 'disabled'
  | 'disposable'
  | 'inbox_full'
  | 'catch_all'
  | 'role_account'
  | 'spamtrap'
  | 'unknown';

/** A verdict, or the error of the interface where none can be had. `reason` is the engine's code. */
export type Expectation =
  { status: ExpectedStatus; reason?: string } | { error: 'verification_unavailable'; reason?: string };

export type CastMember = {
  address: string;
  expect: Expectation;
  story: string;
  /** The other side never gets to the point: the answer comes when the client's patience ends. */
  slow?: true;
  /** True only on a machine with IPv6, or for a client that was given `standardLists`. */
  needs?: 'ipv6' | 'lists';
};

export type Person = Omit<CastMember, 'address'> & { who: string };

export type Place = {
  domain: string;
  /** By name. Where absent, the domain has one MX, `mx.` before its own name. */
  zones?: Record<string, Zone>;
  hosts?: Record<string, HostDescription>;
  people: Person[];
};

export function describe(places: Place[]): WorldDescription {
  const world: WorldDescription = { zones: {}, hosts: {} };
  for (const { domain, zones, hosts } of places) {
    Object.assign(world.zones, zones ?? { [domain]: { mx: [[10, `mx.${domain}`]] } });
    Object.assign(world.hosts, hosts);
  }
  return world;
}

export function castOf(places: Place[]): CastMember[] {
  return places.flatMap(({ domain, people }) =>
    people.map(({ who, ...member }) => ({ address: `${who}@${domain}`, ...member })),
  );
}

/** A domain with one mail host of the given temper, where `alive` lives and others as told. */
export function placeOf(
  domain: string,
  about: { temper: Temper; mailboxes?: Record<string, Mailbox>; address?: string; hostName?: string },
  people: Person[],
): Place {
  const { hostName = `mx.${domain}`, temper, address } = about;
  const mailboxes = { alive: 'exists', ...about.mailboxes } as const;
  return {
    domain,
    zones: { [domain]: { mx: [[10, hostName]] } },
    hosts: { [hostName]: { temper, mailboxes, ...(address === undefined ? {} : { address }) } },
    people,
  };
}
