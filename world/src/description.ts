import type { Zone } from './dns/zone.ts';
import type { Mailbox, Temper } from './smtp/temper.ts';

/** A mail host: where it stands, what it is like and who lives there. */
export type HostDescription = {
  /** `127.x.y.z` or `::1`; given out from 127.10.0.0/16 when absent. The host name's A or AAAA record follows. */
  address?: string;
  temper?: Temper;
  /** By local part in lower case, or by whole address; everybody else is unknown. */
  mailboxes?: Record<string, Mailbox>;
  /** The network's delay: each reply goes out this long after its command came in, groups together. */
  latencyMs?: number;
};

/** A mail internet as data. Zones are keyed by name, hosts by host name; `*.x` zones are wildcards. */
export type WorldDescription = {
  zones: Record<string, Zone>;
  hosts: Record<string, HostDescription>;
  /** DNS block lists by zone, with the addresses on them at first; others come and go while the world runs. */
  blockLists?: Record<string, readonly string[]>;
  /** The public address that a visitor has beyond its NAT, by the one that it connects from. */
  seenAs?: Record<string, string>;
};
