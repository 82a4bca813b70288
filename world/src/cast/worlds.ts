/**
 * Worlds with a cast. The standard world has a domain for every temper and every row of the verdict table. The matrices
 * have one for each fault, and the crowds put twelve addresses into each doubtful place.
 */
import { faults, injections, phases, type TlsFault, tlsFaults } from '../smtp/temper.ts';
import type { HostDescription, WorldDescription } from '../start-world.ts';
import { injectedHost, tlsFaultHost } from '../tempers.ts';
import { dnsPlaces } from './dns-places.ts';
import { contrastPlaces, doubtfulPlaces } from './doubtful-places.ts';
import { faultPlace, hostilePlaces } from './hostile-places.ts';
import {
  type CastMember,
  castOf,
  describe,
  type ExpectedStatus,
  type Place,
  safe,
  unknown,
} from './place.ts';
import { providerPlaces, truthfulPlaces } from './truthful-places.ts';

const places: Place[] = [
  ...truthfulPlaces,
  ...contrastPlaces,
  ...providerPlaces,
  ...dnsPlaces,
  ...hostilePlaces,
  ...doubtfulPlaces,
];

export function standardWorld(): WorldDescription {
  return describe(places);
}

/** The addresses of the standard world, each with the outcome that a verifier must reach. */
export const standardCast: CastMember[] = castOf(places);

/** The operator's lists for the members of the cast that need some. */
export const standardLists = { disposableDomains: ['disposable.test'], spamTraps: ['trap@plain.test'] };

export type Matrix = { description: WorldDescription; cast: CastMember[] };

/** A world of 8 phases × 12 faults. */
export function faultMatrix(): Matrix {
  return matrixOf(phases.flatMap((phase) => faults.map((fault) => faultPlace(phase, fault))));
}

/** A world of 12 TLS faults, each at a host that demands TLS and at a host that only offers it. */
export function tlsFaultMatrix(): Matrix {
  const places = tlsFaults.flatMap((fault): Place[] => {
    const name = fault.replaceAll('_', '-');
    const slow = fault.startsWith('stall') ? ({ slow: true } as const) : {};
    const story = `STARTTLS: ${fault.replaceAll('_', ' ')}`;
    return [
      {
        domain: `tls-${name}.test`,
        hosts: { [`mx.tls-${name}.test`]: tlsFaultHost(fault, 'demanded') },
        people: [{ who: 'alive', expect: unknown(tlsReason(fault)), story: `${story}, demanded`, ...slow }],
      },
      {
        domain: `tls-${name}-offered.test`,
        hosts: { [`mx.tls-${name}-offered.test`]: tlsFaultHost(fault, 'offered') },
        people: [{ who: 'alive', expect: safe, story: `${story}, offered only` }],
      },
    ];
  });
  return matrixOf(places);
}

/** Undefined if several reasons are right: a host that demands TLS and refuses it. */
function tlsReason(fault: TlsFault): string | undefined {
  if (fault === 'refused') return undefined;
  if (fault === 'injected_reply') return 'protocol_error';
  return fault === 'stall_after_handshake' ? 'smtp_timeout' : 'tls_failed';
}

/** A world of 20 injected replies, each in plaintext and inside TLS. An injected reply must never become a verdict. */
export function injectionMatrix(): Matrix {
  const places = (['plaintext', 'tls'] as const).flatMap((over) =>
    injections.map((injection, index): Place => {
      const domain = `injected-${over}-${index}.test`;
      const { reply, place, phase } = injection;
      const story = `"${reply}" ${place} the reply at ${phase.replaceAll('_', ' ')}, ${over}`;
      return {
        domain,
        hosts: { [`mx.${domain}`]: injectedHost(injection, over) },
        people: [{ who: 'alive', expect: unknown('protocol_error'), story }],
      };
    }),
  );
  return matrixOf(places);
}

function matrixOf(places: Place[]): Matrix {
  return { description: describe(places), cast: castOf(places) };
}

/** A doubtful place with twelve addresses; every second one is a mailbox that exists. */
export type Crowd = {
  domain: string;
  world: WorldDescription;
  /** `right` is the only true conclusion; `unknown` is never wrong. */
  people: readonly { address: string; right: ExpectedStatus }[];
};

const names = Array.from({ length: 12 }, (_, at) => (at % 2 === 0 ? `alive${at}` : `nobody${at}`));
const living = Object.fromEntries(
  names.filter((name) => isAlive(name)).map((name) => [name, 'exists'] as const),
);

const takesAll = new Set(['takes-1-of-all.test', 'yes-no-no-yes.test', 'refuses-first-of-all.test']);
/** These hosts say the same of every recipient, or know no mailbox: nothing follows from that. */
const saysNothing = new Set(['all-full.test', 'all-disabled.test', 'backup-dead.test', 'backup-busy.test']);

export const doubtfulCrowds: readonly Crowd[] = doubtfulPlaces.map((place) => ({
  domain: place.domain,
  world: populated(place),
  people: names.map((name) => ({ address: `${name}@${place.domain}`, right: rightFor(place.domain, name) })),
}));

function isAlive(name: string): boolean {
  return name.startsWith('alive');
}

function rightFor(domain: string, name: string): ExpectedStatus {
  if (saysNothing.has(domain)) return 'unknown';
  if (takesAll.has(domain)) return 'catch_all';
  return isAlive(name) ? 'safe' : 'invalid';
}

function populated({ domain, hosts = {}, zones }: Place): WorldDescription {
  const withPeople = (host: HostDescription): HostDescription => ({
    ...host,
    mailboxes: { ...host.mailboxes, ...living },
  });
  return {
    zones: zones ?? { [domain]: { mx: [[10, `mx.${domain}`]] } },
    hosts: Object.fromEntries(Object.entries(hosts).map(([name, host]) => [name, withPeople(host)])),
  };
}
