/**
 * The places to dial for a domain, one after the other: two addresses of the first host, two of the
 * next, and so on; what the hosts have beyond two comes last. A dead first host with many addresses
 * therefore does not use up the few attempts that a verification has.
 *
 * Names after the first are resolved only when somebody asks for a further target, and each name
 * once: what it resolved to is what is dialled, whatever it would resolve to later.
 */
import type { Limits } from '../limits.ts';
import type { Patience } from '../patience.ts';
import type { CanonicalHost } from '../syntax/address.ts';
import type { Resolver } from './lookup.ts';
import type { MailHost, MailRoute, MailTarget } from './mail-route.ts';
import { resolveHost } from './resolve-host.ts';

type Parts = { resolver: Resolver; limits: Limits };

const ADDRESSES_PER_TURN = 2;

export async function* mailTargets(
  route: MailRoute & { kind: 'takes_mail' },
  parts: Parts,
  patience: Patience,
): AsyncGenerator<MailTarget, void, undefined> {
  const given = new Set<string>();
  for await (const target of candidates(route, parts, patience)) {
    // Two names of one machine are one place to dial.
    if (given.has(target.address)) continue;
    given.add(target.address);
    yield target;
    if (given.size >= parts.limits.mailAddresses) return;
  }
}

async function* candidates(
  route: MailRoute & { kind: 'takes_mail' },
  parts: Parts,
  patience: Patience,
): AsyncGenerator<MailTarget, void, undefined> {
  const leftOver: MailTarget[] = [];
  for await (const host of hosts(route, parts, patience)) {
    const targets = host.addresses.map((address) => ({ host: host.name, address }));
    yield* targets.slice(0, ADDRESSES_PER_TURN);
    leftOver.push(...targets.slice(ADDRESSES_PER_TURN));
  }
  yield* leftOver;
}

async function* hosts(
  route: MailRoute & { kind: 'takes_mail' },
  parts: Parts,
  patience: Patience,
): AsyncGenerator<MailHost, void, undefined> {
  yield route.first;
  for (const name of route.further.slice(0, lookupsLeft(route, parts.limits))) {
    const host = await resolveHost(name, parts, patience);
    if (host.kind === 'resolves') yield { name, addresses: host.addresses };
  }
}

/** Finding the first host took one lookup for it and for each name before it; the rest are for the others. */
function lookupsLeft(route: { mxRecords: CanonicalHost[]; first: MailHost }, limits: Limits): number {
  return Math.max(0, limits.mailHostLookups - (route.mxRecords.indexOf(route.first.name) + 1));
}
