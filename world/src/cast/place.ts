/**
 * A place of a world: a domain, its mail hosts and its addresses, each with the outcome that a verifier must reach.
 * Worlds with a cast are lists of places.
 */
import type { Zone } from '../dns/zones.ts';
import type { Mailbox, Temper } from '../smtp/temper.ts';
import type { HostDescription, WorldDescription } from '../start-world.ts';

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

/** A verdict, or the error of the interface if there can be none. `reason` is the engine's code. */
export type Expectation =
  { status: ExpectedStatus; reason?: string } | { error: 'verification_unavailable'; reason?: string };

export type CastMember = {
  address: string;
  expect: Expectation;
  story: string;
  /** The host never answers, so the verdict comes at the client's deadline. */
  slow?: true;
  /** The outcome holds only on a machine with IPv6, or for a client that has `standardLists`. */
  needs?: 'ipv6' | 'lists';
};

export type Person = Omit<CastMember, 'address'> & { who: string };

export type Place = {
  domain: string;
  /** Keyed by name. Default: the domain has one MX, `mx.` before its own name. */
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

/** Returns a domain with one mail host of this temper. The mailbox `alive` exists, besides `mailboxes`. */
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

/** The outcomes of the cast, with the engine's reason if exactly one is right. */
export const safe = { status: 'safe', reason: 'mailbox_accepted' } as const;
export const role = { status: 'role_account', reason: 'mailbox_accepted' } as const;
export const catchAll = { status: 'catch_all', reason: 'accepts_every_address' } as const;
export const noSuchMailbox = { status: 'invalid', reason: 'user_unknown' } as const;
export const full = { status: 'inbox_full' } as const;
export const disabled = { status: 'disabled', reason: 'mailbox_disabled' } as const;
export const trap = { status: 'spamtrap', reason: 'spamtrap_listed' } as const;
export const disposable = { status: 'disposable' } as const;

export function unknown(reason?: string): Expectation {
  return reason === undefined ? { status: 'unknown' } : { status: 'unknown', reason };
}

/** The domain cannot receive mail. */
export function invalidDomain(reason: string): Expectation {
  return { status: 'invalid', reason };
}

/** DNS does not tell whether the domain receives mail. */
export function unavailable(reason?: string): Expectation {
  const error = 'verification_unavailable';
  return reason === undefined ? { error } : { error, reason };
}
