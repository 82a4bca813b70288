import type { Clock } from '../clock.ts';
import type { DnsResolver } from '../dns/create-resolver.ts';
import { seenAddresses } from '../egress/own-addresses.ts';
import type { Limits } from '../limits.ts';
import type { MemoryNamespace } from '../memory.ts';
import { routesOr, type RouteSetting, type Destination } from '../politeness/policy.ts';
import type { SessionOutcome } from '../politeness/session-outcome.ts';
import type { EgressRights } from '../routes/create-routes.ts';
import type { WallClock } from '../routes/route-volume.ts';
import {
  blockListName,
  delistingPage,
  lookUpListing,
  namedList,
  type AsksIpv4,
  type Listing,
} from './block-lists.ts';
import {
  addAccusation,
  areOfSeveralAccounts,
  isCrowd,
  createClosures,
  type Accusation,
  type Closure,
  type Closures,
  type ProviderBan,
} from './closures.ts';

/**
 * Watches the reputation of our egress addresses, and stops using one that block lists or providers reject.
 *
 * - Each address of ours is looked up in the block lists at the start and every six hours. It is also looked up as
 *   soon as a few hosts of several networks say that it is listed. If a list has it, the address closes and is looked up every hour.
 * - Lists that cannot be looked up close an address for a rest that grows, if many hosts say so to several accounts.
 * - A provider that bans an address is not asked from it for a day, and then once (`replies/bans.ts`).
 *
 * Only the owner of an egress address looks it up; the result holds for all processes.
 */
export type Reputation = Pick<Closures, 'of' | 'bannedUntil' | 'began'> & {
  /** The state, for the operator. */
  state(): ReputationState;
  /** Notes how a conversation went. */
  note(egress: string, heard: { destination: Destination; outcome: SessionOutcome }): void;
  stop(): void;
};

export type ReputationState = { closed: ReturnType<Closures['closed']>; bans: ReturnType<Closures['bans']> };

type ReputationParts = {
  clock: Clock;
  wallClock: WallClock;
  limits: Limits;
  memory: MemoryNamespace;
  /** Zones of block lists; none: no list is looked up. */
  lists: readonly string[];
  egress: readonly string[];
  rights: Pick<EgressRights, 'of' | 'onChange'>;
  /** The addresses that mail hosts see; none if they are unknown. */
  addressesOf(egress: string): Promise<readonly string[]>;
  askIpv4: AsksIpv4;
  /** Called with one line for the operator. */
  onProblem(message: string): void;
};

/** The state of one watched egress address. */
type Watched = {
  accusations: readonly Accusation[];
  /** The last answers of the lists, by zone; empty before the first lookup. */
  answers: ReadonlyMap<string, Listing['kind']>;
  lookedUpAt: number;
  /** When hosts last caused a lookup. */
  heededAt: number;
  lookingUp: boolean;
  cancel: () => void;
};

type Watch = ReputationParts & {
  closures: Closures;
  watched: Map<string, Watched>;
  stopped: AbortController;
  /** Accounts that were met, as far as it matters. */
  firstAccount: string | undefined;
  hasSeveralAccounts: boolean;
};

export function createReputation(parts: ReputationParts): Reputation {
  const closures = createClosures(parts);
  const watch: Watch = {
    ...parts,
    closures,
    watched: new Map(parts.egress.map((egress) => [egress, unwatched()])),
    stopped: new AbortController(),
    firstAccount: undefined,
    hasSeveralAccounts: false,
  };
  const begin = (): void => {
    for (const [egress, { lookedUpAt }] of watch.watched)
      if (lookedUpAt === -Infinity) lookUpSoon(egress, watch);
  };
  parts.rights.onChange(begin);
  begin();
  return {
    of: (egress) => closures.of(egress),
    bannedUntil: (egress, group) => closures.bannedUntil(egress, group),
    began: (egress, group) => closures.began(egress, group),
    state: () => ({ closed: closures.closed(), bans: closures.bans() }),
    note: (egress, heard) => note(egress, heard, watch),
    stop() {
      watch.stopped.abort();
      for (const { cancel } of watch.watched.values()) cancel();
    },
  };
}

function unwatched(): Watched {
  return {
    accusations: [],
    answers: new Map(),
    lookedUpAt: -Infinity,
    heededAt: -Infinity,
    lookingUp: false,
    cancel: () => undefined,
  };
}

function note(
  egress: string,
  { destination, outcome }: { destination: Destination; outcome: SessionOutcome },
  watch: Watch,
): void {
  const { group } = destination.policy;
  noteAccount(outcome.mailboxes[0]?.account, watch);
  if (outcome.ban !== undefined) {
    if (watch.closures.ban(egress, group, outcome.ban))
      watch.onProblem(describeBan({ ...outcome.ban, egress, group }, watch));
    return;
  }
  if (watch.closures.isBanned(egress, group) && wentWell(outcome)) {
    watch.closures.endBan(egress, group);
    watch.onProblem(`${group} accepts egress ${egress} again`);
  }
  if (outcome.accusation === undefined) return;
  const { text, account } = outcome.accusation;
  const list = namedList(text, watch.lists);
  accuse(egress, { at: watch.clock.now(), host: destination.target.address, account, list }, watch);
}

function noteAccount(account: string | undefined, watch: Watch): void {
  if (account === undefined || watch.hasSeveralAccounts) return;
  watch.firstAccount ??= account;
  if (account !== watch.firstAccount) watch.hasSeveralAccounts = true;
}

function wentWell({ connected, fault, turnedAway, accusation }: SessionOutcome): boolean {
  return connected && fault === undefined && turnedAway === undefined && accusation === undefined;
}

function accuse(egress: string, accusation: Accusation, watch: Watch): void {
  const watched = watch.watched.get(egress);
  if (watched === undefined || watch.closures.of(egress) !== undefined) return;
  const { limits, clock } = watch;
  watched.accusations = addAccusation(watched.accusations, accusation, limits.suspicionWindowMs);
  const least = { hosts: limits.listingHosts, networks: limits.listingNetworks };
  if (!isCrowd(watched.accusations, least)) return;
  if (clock.now() - watched.heededAt < limits.listingAgainMs) {
    heedSuspicion(egress, watched, watch);
    return;
  }
  watched.heededAt = clock.now();
  lookUpSoon(egress, watch);
}

/** Closes an address that many hosts call listed, by lists that could not be looked up. */
function heedSuspicion(egress: string, watched: Watched, watch: Watch): void {
  const { limits, closures, wallClock } = watch;
  const open = watched.accusations.filter(({ list }) => !isAnswered(watched, list));
  if (watched.lookingUp || closures.of(egress) !== undefined) return;
  if (!isCrowd(open, { hosts: limits.suspicionHosts, networks: limits.suspicionNetworks })) return;
  if (watch.hasSeveralAccounts && !areOfSeveralAccounts(open)) return;
  const times = closures.suspectedBefore(egress) + 1;
  const restMs = Math.min(limits.suspicionRestMaxMs, limits.suspicionRestMs * 2 ** (times - 1));
  const now = wallClock.now();
  const list = [
    ...new Set(open.map((one) => (one.list === undefined ? 'an unnamed list' : blockListName(one.list)))),
  ];
  watched.accusations = [];
  closures.close(egress, {
    kind: 'suspected',
    list: list.join(', '),
    since: now,
    until: now + restMs,
    times,
  });
  watch.onProblem(
    `egress ${egress} is closed for ${hours(restMs)}: ${open.length} mail hosts say that it is on a block list (${list.join(', ')}) that cannot be looked up from here. Check the reputation of its address. To open it before: mailproof rests end ${egress}`,
  );
}

/** Whether a list that was looked up has said that the address is not on it: then no host's word counts. */
function isAnswered({ answers }: Watched, list: string | undefined): boolean {
  return list !== undefined && answers.get(list) === 'not_listed';
}

/** Looks one address up now, unless that is under way, and again when it is time to. */
function lookUpSoon(egress: string, watch: Watch): void {
  const watched = watch.watched.get(egress);
  if (watched === undefined || watched.lookingUp || watch.stopped.signal.aborted) return;
  watched.cancel();
  if (watch.rights.of(egress) !== 'ours') {
    watched.cancel = watch.clock.after(watch.limits.listedEveryMs, () => lookUpSoon(egress, watch));
    return;
  }
  watched.lookingUp = true;
  watched.lookedUpAt = watch.clock.now();
  lookUp(egress, watched, watch)
    .catch((error: unknown) => {
      if (!watch.stopped.signal.aborted)
        watch.onProblem(`block lists could not be looked up: ${String(error)}`);
    })
    .finally(() => {
      watched.lookingUp = false;
      if (watch.stopped.signal.aborted) return;
      heedSuspicion(egress, watched, watch);
      const isListed = watch.closures.of(egress)?.kind === 'listed';
      const { listedEveryMs, listingEveryMs } = watch.limits;
      watched.cancel = watch.clock.after(isListed ? listedEveryMs : listingEveryMs, () =>
        lookUpSoon(egress, watch),
      );
    });
}

type Found = { address: string; zone: string; listing: Listing };

async function lookUp(egress: string, watched: Watched, watch: Watch): Promise<void> {
  const { lists, clock, limits, stopped, closures } = watch;
  const seen = await watch.addressesOf(egress);
  const closure = closures.of(egress);
  // If our address is no longer known, the address that was listed decides.
  const addresses = seen.length === 0 && closure?.kind === 'listed' ? [closure.address] : seen;
  const patience = { deadline: clock.now() + limits.dnsLookupMs, signal: stopped.signal };
  const found = await Promise.all(
    addresses.flatMap((address) =>
      lists.map(async (zone): Promise<Found> => {
        const listing = await lookUpListing(address, zone, { askIpv4: watch.askIpv4, patience });
        return { address, zone, listing };
      }),
    ),
  );
  if (stopped.signal.aborted) return;
  watched.answers = answersOf(lists, found);
  heedListings(egress, { found, watched }, watch);
}

/** Returns the answers by list. A list has answered only if it has for every address of ours. */
function answersOf(lists: readonly string[], found: readonly Found[]): Map<string, Listing['kind']> {
  return new Map(
    lists.map((zone) => {
      const kinds = found.filter((one) => one.zone === zone).map(({ listing }) => listing.kind);
      if (kinds.includes('listed')) return [zone, 'listed'];
      return [zone, kinds.length === 0 || kinds.includes('no_answer') ? 'no_answer' : 'not_listed'];
    }),
  );
}

function heedListings(
  egress: string,
  { found, watched }: { found: readonly Found[]; watched: Watched },
  watch: Watch,
): void {
  const { closures } = watch;
  const listed = found.find(({ listing }) => listing.kind === 'listed');
  const closure = closures.of(egress);
  if (listed !== undefined) {
    if (!closures.isOpenedByOperator(egress)) closeListed(egress, { listed, closure, watched }, watch);
    return;
  }
  if (closure?.kind !== 'listed') {
    const isClean = found.length > 0 && found.every(({ listing }) => listing.kind === 'not_listed');
    if (isClean && closures.isOpenedByOperator(egress)) closures.open(egress);
    return;
  }
  const isUncertain = found.some(
    ({ address, zone, listing }) =>
      listing.kind === 'no_answer' && address === closure.address && blockListName(zone) === closure.list,
  );
  if (isUncertain) closures.close(egress, closure);
  else {
    closures.open(egress);
    watch.onProblem(`egress ${egress} is open again: ${closure.list} does not list its address any more`);
  }
}

function closeListed(
  egress: string,
  { listed, closure, watched }: { listed: Found; closure: Closure | undefined; watched: Watched },
  watch: Watch,
): void {
  const { address, zone, listing } = listed;
  const list = blockListName(zone);
  const page = delistingPage(zone);
  const isKnown = closure?.kind === 'listed' && closure.list === list && closure.address === address;
  const since = isKnown ? closure.since : watch.wallClock.now();
  watched.accusations = [];
  watch.closures.close(egress, { kind: 'listed', list, address, page, since });
  if (isKnown) return;
  const codes = listing.kind === 'listed' ? listing.codes.join(', ') : '';
  watch.onProblem(
    `egress ${egress} is closed: ${list} lists ${address} (${codes}), so no mail host is asked from it. Ask for its removal: ${page} . It opens by itself within an hour of that; to open it at once: mailproof rests end ${egress}`,
  );
}

function describeBan({ egress, group, code, page }: Omit<ProviderBan, 'until'>, { limits }: Watch): string {
  return `${group} bans egress ${egress} (${code}): it is not asked from there for ${hours(limits.banMs)}, and then once. Waiting does not cure this; ask for the end of the ban: ${page} . When it has ended: mailproof rests end ${group}`;
}

function hours(ms: number): string {
  const count = Math.max(1, Math.round(ms / 3_600_000));
  return count === 1 ? 'an hour' : `${count} hours`;
}

/** The settings of an engine that matter here. */
type ReputationSettings = {
  pacing?: 'on' | 'off';
  blockLists?: readonly string[];
  publicAddresses?: readonly string[];
  policyFile?: { routes: readonly RouteSetting[] } | undefined;
  onProblem(message: string): void;
};

type Needs = Pick<ReputationParts, 'clock' | 'limits' | 'rights' | 'memory'> & {
  resolver: Pick<DnsResolver, 'uncached'>;
};

/** Watches the egress addresses that an engine is set up with. Like every limit, it is off if pacing is off. */
export function openReputation(
  settings: ReputationSettings,
  { resolver, ...needs }: Needs,
): Reputation | undefined {
  if (settings.pacing === 'off') return undefined;
  const stated = settings.policyFile?.routes ?? [];
  const routes = routesOr(stated);
  return createReputation({
    ...needs,
    wallClock: Date,
    lists: settings.blockLists ?? [],
    egress: routes.map(({ id }) => id),
    addressesOf: async (egress) => {
      const route = routes.find(({ id }) => id === egress);
      return route === undefined ? [] : seenAddresses(route, { stated: settings.publicAddresses ?? [] });
    },
    askIpv4: (name, patience) => resolver.uncached.ipv4(name, patience),
    onProblem: (message) => settings.onProblem(message),
  });
}
