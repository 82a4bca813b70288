import { hash } from 'node:crypto';
import type { HostPolicy } from '../politeness/policy.ts';

/**
 * Which egress address asks whom. Rendezvous hashing: each pair of a name and an egress address has its rank, and no
 * pair's rank depends on another address. So the same group of hosts meets the same address for as long as that one is
 * fit, with no memory and over every restart, and where an address goes or comes only its own groups move.
 */
export function rankEgress(name: string, egress: readonly string[]): string[] {
  if (egress.length <= 1) return [...egress];
  return egress
    .map((id) => ({ id, rank: hash('sha256', `${id}\n${name}`) }))
    .sort((one, other) => (one.rank < other.rank ? -1 : 1))
    .map(({ id }) => id);
}

/**
 * The order in which egress addresses come into question for a mailbox. Where a group is spread over the `spread` best,
 * each mailbox has its own among them, always the same.
 */
export function egressFor(
  { group, spread, mailbox }: { group: string; spread: number; mailbox: string },
  egress: readonly string[],
): string[] {
  const ranked = rankEgress(group, egress);
  if (spread <= 1) return ranked;
  return [...rankEgress(mailbox, ranked.slice(0, spread)), ...ranked.slice(spread)];
}

/** Returns the egress address of a mailbox's own; only a group that is spread has such mailboxes. */
export function ownEgressFor(
  mailbox: string,
  { group, spread, routes: allowed }: Pick<HostPolicy, 'group' | 'spread' | 'routes'>,
  egress: readonly string[],
): string | undefined {
  if (spread <= 1 || egress.length <= 1) return undefined;
  const usable = egress.filter((id) => allowed?.includes(id) !== false);
  return egressFor({ group, spread, mailbox }, usable)[0];
}
