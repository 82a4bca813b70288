/** The doubtful places with a crowd in each: twelve addresses, every second of which is a living mailbox. */
import type { HostDescription, WorldDescription } from '../description.ts';
import { doubtfulPlaces } from './doubtful-places.ts';
import type { ExpectedStatus, Place } from './place.ts';

export type Crowd = {
  domain: string;
  world: WorldDescription;
  /** `right` is the one conclusion that is true; `unknown` is never wrong. */
  people: readonly { address: string; right: ExpectedStatus }[];
};

const names = Array.from({ length: 12 }, (_, at) => (at % 2 === 0 ? `alive${at}` : `nobody${at}`));
const living = Object.fromEntries(
  names.filter((name) => isAlive(name)).map((name) => [name, 'exists'] as const),
);

const takesAll = new Set(['takes-1-of-all.test', 'yes-no-no-yes.test', 'refuses-first-of-all.test']);
/** The host says the same of everybody, or knows no mailbox: nothing can be concluded. */
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
