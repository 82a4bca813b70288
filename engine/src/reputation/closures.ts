import { networkOf } from '../ip-address.ts';
import type { Limits } from '../limits.ts';
import { isFields, type MemoryNamespace } from '../memory.ts';
import type { Ban } from '../replies/bans.ts';
import type { WallClock } from '../routes/route-volume.ts';

/**
 * Egress addresses that are closed, and providers that ban one. Both are latched: they outlive a restart and hold in
 * every process, because they are kept in the engine's memory.
 *
 *     open ──▶ listed ──▶ open: the list has removed the address, or the operator opens it (for a day at least)
 *       └────▶ suspected, for a rest that grows ──▶ open by time, or by the operator
 *
 *     asked ──▶ banned for a day ──▶ one try ──▶ asked: the provider takes us again, or the operator ends the ban
 *                   ▲──── banned again ──┘
 *
 * Times are on the wall clock, so that a later process can read them. The names of the fields are stored.
 */
export type Closure =
  /** A block list that was looked up has the address. */
  | { kind: 'listed'; list: string; address: string; page: string; since: number }
  /** Many hosts say so of lists that cannot be looked up. */
  | { kind: 'suspected'; list: string; since: number; until: number; times: number };

export type ProviderBan = Ban & { group: string; egress: string; until: number };

export type Closures = {
  /** Why nothing may leave from an egress address now, if that is so. */
  of(egress: string): Closure | undefined;
  /** When a provider may be asked again from an egress address that it bans. */
  bannedUntil(egress: string, group: string): number | undefined;
  isBanned(egress: string, group: string): boolean;
  close(egress: string, closure: Closure): void;
  /** Forgets the closure, and that the operator has opened it. */
  open(egress: string): void;
  /** Whether the operator has opened it lately, whatever a list says. */
  isOpenedByOperator(egress: string): boolean;
  /** How often it was suspected lately. */
  suspectedBefore(egress: string): number;
  /** Returns whether the ban is new. */
  ban(egress: string, group: string, ban: Ban): boolean;
  /** Notes that a conversation with the provider begins; if it is the one try after a ban, the next has to wait. */
  began(egress: string, group: string): void;
  endBan(egress: string, group: string): void;
  closed(): { egress: string; closure: Closure }[];
  bans(): ProviderBan[];
};

type ClosuresParts = {
  wallClock: WallClock;
  limits: Pick<Limits, 'banMs' | 'banTryMs'>;
  memory: MemoryNamespace;
};

/** Renewed with every lookup, so it ends only if lookups stop. */
const listedLifeMs = 30 * 86_400_000;

/** How long an earlier suspicion or ban still counts. */
const afterwardsMs = 7 * 86_400_000;

/** Egress addresses and pairs of one with a provider; there are far fewer. */
const mostKept = 10_000;

export function createClosures({ wallClock, limits, memory }: ClosuresParts): Closures {
  const closures = new Map<string, Closure>();
  const openedUntil = new Map<string, number>();
  const bans = new Map<string, ProviderBan>();
  const now = (): number => wallClock.now();

  follow({ closures, openedUntil, bans }, { memory, now });

  function closureOf(egress: string): Closure | undefined {
    if (closures.size === 0) return undefined;
    const closure = closures.get(egress);
    return closure?.kind === 'suspected' && closure.until <= now() ? undefined : closure;
  }

  function keepBan(key: string, ban: ProviderBan): void {
    bans.set(key, ban);
    const { code, page, until } = ban;
    memory.learn(key, { code, page, until }, until - now() + afterwardsMs);
  }

  return {
    of: closureOf,
    isBanned: (egress, group) => bans.size > 0 && bans.has(banKey(egress, group)),
    bannedUntil(egress, group) {
      if (bans.size === 0) return undefined;
      const until = bans.get(banKey(egress, group))?.until;
      return until !== undefined && until > now() ? until : undefined;
    },
    close(egress, closure) {
      closures.set(egress, closure);
      openedUntil.delete(egress);
      const lifeMs = closure.kind === 'listed' ? listedLifeMs : closure.until - now() + afterwardsMs;
      memory.learn(egressKey(egress), closure, lifeMs);
    },
    open(egress) {
      const wasClosed = closures.delete(egress);
      if (openedUntil.delete(egress) || wasClosed) memory.learn(egressKey(egress), null, 0);
    },
    isOpenedByOperator: (egress) => (openedUntil.get(egress) ?? 0) > now(),
    suspectedBefore(egress) {
      const closure = closures.get(egress);
      return closure?.kind === 'suspected' ? closure.times : 0;
    },
    ban(egress, group, { code, page }) {
      const key = banKey(egress, group);
      // A conversation that was under way when the ban was heard of may still report; it is the same ban.
      if ((bans.get(key)?.until ?? 0) > now() + limits.banTryMs) return false;
      keepBan(key, { egress, group, code, page, until: now() + limits.banMs });
      return true;
    },
    began(egress, group) {
      if (bans.size === 0) return;
      const key = banKey(egress, group);
      const ban = bans.get(key);
      if (ban !== undefined && ban.until <= now()) keepBan(key, { ...ban, until: now() + limits.banTryMs });
    },
    endBan(egress, group) {
      const key = banKey(egress, group);
      if (bans.delete(key)) memory.learn(key, null, 0);
    },
    closed: () =>
      [...closures.keys()].flatMap((egress) => {
        const closure = closureOf(egress);
        return closure === undefined ? [] : [{ egress, closure }];
      }),
    bans: () => [...bans.values()].filter(({ until }) => until > now()),
  };
}

type State = {
  closures: Map<string, Closure>;
  openedUntil: Map<string, number>;
  bans: Map<string, ProviderBan>;
};

/** Takes in the kept entries, and from then on the entries of other engines and the operator. */
function follow(
  { closures, openedUntil, bans }: State,
  { memory, now }: { memory: MemoryNamespace; now: () => number },
): void {
  memory.follow(({ key, value, lifeMs }) => {
    const [word = '', egress = '', group = ''] = key.split(' ');
    if (word === 'egress') {
      const closure = readClosure(value);
      closures.delete(egress);
      openedUntil.delete(egress);
      if (closure !== undefined && lifeMs > 0 && closures.size < mostKept) closures.set(egress, closure);
      else if (isOpened(value) && lifeMs > 0) openedUntil.set(egress, now() + lifeMs);
    } else if (word === 'ban') {
      const ban = readBan(value);
      bans.delete(key);
      if (ban !== undefined && lifeMs > 0 && bans.size < mostKept) bans.set(key, { ...ban, egress, group });
    }
  });
}

function egressKey(egress: string): string {
  return `egress ${egress}`;
}

function banKey(egress: string, group: string): string {
  return `ban ${egress} ${group}`;
}

/** Stands in the memory in place of a closure that the operator has ended, for as long as that holds. */
export const openedByOperator = { opened: true } as const;

function isOpened(value: unknown): boolean {
  return isFields(value) && value['opened'] === true;
}

/** A closure or a ban as the memory keeps it, for the operator to see; nothing if it is over. */
type KeptClosure = { kind: 'closure'; egress: string; closure: Closure } | { kind: 'ban'; ban: ProviderBan };

export function readKeptClosure(key: string, value: unknown, now: number): KeptClosure | undefined {
  const [word = '', egress = '', group = ''] = key.split(' ');
  if (word === 'egress') {
    const closure = readClosure(value);
    if (closure === undefined || (closure.kind === 'suspected' && closure.until <= now)) return undefined;
    return { kind: 'closure', egress, closure };
  }
  const ban = word === 'ban' ? readBan(value) : undefined;
  return ban === undefined || ban.until <= now ? undefined : { kind: 'ban', ban: { ...ban, egress, group } };
}

function readClosure(value: unknown): Closure | undefined {
  if (!isFields(value)) return undefined;
  const { kind, list, since, address, page, until, times } = value;
  if (typeof list !== 'string' || !isTime(since)) return undefined;
  if (kind === 'listed' && typeof address === 'string' && typeof page === 'string')
    return { kind, list, address, page, since };
  return kind === 'suspected' && isTime(until) && isTime(times)
    ? { kind, list, since, until, times }
    : undefined;
}

function readBan(value: unknown): (Ban & { until: number }) | undefined {
  if (!isFields(value)) return undefined;
  const { code, page, until } = value;
  return typeof code === 'string' && typeof page === 'string' && isTime(until)
    ? { code, page, until }
    : undefined;
}

function isTime(value: unknown): value is number {
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= 0;
}

/**
 * Replies of the last hour that say one of our addresses is on a block list. A host may say so of any address, so
 * words alone close nothing. A few of them from several networks make us look the lists up, and the lists decide.
 * Words count only for lists that cannot be looked up, and then it takes many hosts, many networks and several
 * accounts.
 */
export type Accusation = {
  at: number;
  /** The mail host's IP address. */
  host: string;
  account: string;
  /** The list of ours that the reply names, if it names one. */
  list: string | undefined;
};

type Crowd = { hosts: number; networks: number };

const mostAccusations = 500;

/** Adds an accusation; only the latest of each host counts. */
export function addAccusation(
  known: readonly Accusation[],
  accusation: Accusation,
  windowMs: number,
): Accusation[] {
  const since = accusation.at - windowMs;
  const others = known.filter(({ at, host }) => at > since && host !== accusation.host);
  return [...others, accusation].slice(-mostAccusations);
}

export function isCrowd(accusations: readonly Accusation[], least: Crowd): boolean {
  if (accusations.length < least.hosts) return false;
  return new Set(accusations.map(({ host }) => networkOf(host))).size >= least.networks;
}

/** Whether the accusations met more than one account; no account can arrange that alone. */
export function areOfSeveralAccounts(accusations: readonly Accusation[]): boolean {
  const [first] = accusations;
  return accusations.some(({ account }) => account !== first?.account);
}
