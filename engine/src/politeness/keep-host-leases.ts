import type { Clock } from '../clock.ts';
import type { LeaseState } from './lease-state.ts';
import {
  allHosts,
  leaseKeptMs,
  leaseMs,
  type HeldLease,
  type LeaseStore,
  type ReturnedLease,
} from './lease-store.ts';

/**
 * The host leases of one process. It asks for a lease when a conversation waits for it, and gives it back when nothing
 * is open there and nothing waits any more, or when another process wants it.
 *
 *     not ours ──▶ asked for ──▶ ours for three seconds ──▶ lapsed ──▶ asked for again, or given back
 *
 * A lease that another process wants is not prolonged once it has been used: it lapses, the open conversations end, and
 * it is given back. Of several keys the first that is missing is asked for, and the next only once that has come; a
 * lease that waits for the next is kept. All processes ask in the same order, so no two wait for each other. If the
 * store cannot be reached, leases lapse and nothing is begun.
 */
export type HostLeases = {
  /** The first of these keys whose lease is not ours now; it is asked for. */
  firstMissing(keys: readonly string[]): string | undefined;
  /** Gives everything back. */
  stop(): void;
};

type HostLeasesParts = {
  store: LeaseStore;
  clock: Clock;
  /** A lease that was asked for has come. */
  onLease(key: string): void;
  onProblem(message: string): void;
  state: LeaseState;
};

type Lease = {
  grant: number;
  beginsUntil: number;
  /** Nobody else can hold it before then. */
  keptUntil: number;
  askedFor: number;
  used: boolean;
  /** Another process wants it, so it was not prolonged. */
  over: boolean;
};

type Keeper = HostLeasesParts & {
  held: Map<string, Lease>;
  /** Given back, but whether the store heard of it is not known. */
  unconfirmed: ReturnedLease[];
  /** What is asked for, each with the keys that are ours already and wait for it. */
  wanted: Map<string, Set<string>>;
  /** To be taken one by one before the lease of all hosts is given back. */
  oneByOne: string[] | undefined;
  refusedAllAt: number;
  lookedAt: number;
  /** `busy_again`: a lease was asked for while the store was answering. */
  activity: 'idle' | 'busy' | 'busy_again' | 'stopped';
  failing: boolean;
  timer: { at: number; cancel: () => void } | undefined;
};

const askAgainMs = 250;
const lookEveryMs = 1_000;
/** What is held is looked through this often at most. */
const lookAgainMs = 200;
/** How long after a refusal the lease of all hosts is asked for again. */
const askForAllMs = 10_000;
/** Keys in one exchange, so that other processes get at the store in between. */
const mostKeys = 500;

export function keepHostLeases(parts: HostLeasesParts): HostLeases {
  const keeper: Keeper = {
    ...parts,
    held: new Map(),
    unconfirmed: [],
    wanted: new Map(),
    oneByOne: undefined,
    refusedAllAt: -Infinity,
    lookedAt: -Infinity,
    activity: 'idle',
    failing: false,
    timer: undefined,
  };
  parts.store.listen(() => {
    if (keeper.held.size > 0 || keeper.wanted.size > 0) wake(keeper, 0);
  });
  return {
    firstMissing: (keys) => firstMissing(keys, keeper),
    stop() {
      keeper.timer?.cancel();
      if (keeper.activity === 'idle') giveAllBack([], keeper);
      keeper.activity = 'stopped';
    },
  };
}

function firstMissing(keys: readonly string[], keeper: Keeper): string | undefined {
  const hasAll = isOurs(allHosts, keeper) && keeper.oneByOne === undefined;
  const missing = hasAll ? undefined : keys.find((one) => !isOurs(one, keeper));
  if (missing === undefined) {
    for (const key of keys) {
      const lease = keeper.held.get(key);
      if (lease !== undefined) lease.used = true;
    }
    return undefined;
  }
  const waiting = keeper.wanted.get(missing) ?? new Set();
  for (const key of keys.slice(0, keys.indexOf(missing))) waiting.add(key);
  keeper.wanted.set(missing, waiting);
  wake(keeper, 0);
  return missing;
}

function isOurs(key: string, { held, clock }: Keeper): boolean {
  const lease = held.get(key);
  if (lease === undefined) return false;
  lease.askedFor = clock.now();
  return lease.beginsUntil > clock.now();
}

function wake(keeper: Keeper, inMs: number): void {
  const { clock, activity, timer } = keeper;
  if (activity === 'busy' && inMs === 0) keeper.activity = 'busy_again';
  const at = clock.now() + inMs;
  if (activity !== 'idle' || (timer !== undefined && timer.at <= at)) return;
  timer?.cancel();
  keeper.timer = { at, cancel: clock.after(inMs, () => void exchange(keeper)) };
}

async function exchange(keeper: Keeper): Promise<void> {
  const { store, clock } = keeper;
  keeper.timer = undefined;
  keeper.activity = 'busy';
  const startedAt = clock.now();
  const giveBack = [...keeper.unconfirmed, ...toGiveBack(keeper)];
  const asked = toAskFor(keeper);
  const take = asked.filter((key) => keeper.held.get(key)?.used !== true);
  const prolong = asked.filter((key) => keeper.held.get(key)?.used === true);
  const isNothing = asked.length + giveBack.length === 0;
  const leases = isNothing
    ? []
    : await store.exchange({ take, prolong, giveBack }).catch((error: unknown) => {
        keeper.unconfirmed = giveBack;
        noteFailure(error, keeper);
        return undefined;
      });
  // It may have been stopped meanwhile.
  if (isStopped(keeper)) {
    giveAllBack(leases ?? [], keeper);
    return;
  }
  if (leases !== undefined) takeAnswer(leases, { asked, startedAt }, keeper);
  const again = isAskedAgain(keeper) || keeper.oneByOne !== undefined;
  keeper.activity = 'idle';
  if (again && !keeper.failing) wake(keeper, 0);
  else if (again || keeper.failing || keeper.wanted.size > 0) wake(keeper, askAgainMs);
  else if (keeper.held.size > 0) wake(keeper, lookEveryMs);
}

function isAskedAgain({ activity }: Keeper): boolean {
  return activity === 'busy_again';
}

function isStopped({ activity }: Keeper): boolean {
  return activity === 'stopped';
}

function returned([key, { grant }]: [string, Lease], { state }: Keeper): ReturnedLease {
  return { key, grant, state: key === allHosts ? undefined : state.save(key) };
}

/** What nothing waits for, and what another process wants, as soon as nothing is open there. */
function toGiveBack(keeper: Keeper): ReturnedLease[] {
  const { held, clock } = keeper;
  if (clock.now() - keeper.lookedAt < lookAgainMs && keeper.oneByOne === undefined) return [];
  keeper.lookedAt = clock.now();
  const needed = neededKeys(keeper);
  const done = [...held].filter(([key, lease]) => !needed.has(key) && isDone(key, lease, keeper));
  if (done.some(([key]) => key === allHosts)) keeper.oneByOne = undefined;
  for (const [key] of done) held.delete(key);
  return done.map((lease) => returned(lease, keeper));
}

/** Ours, not used yet, and waiting for the next. */
function neededKeys({ wanted, held }: Keeper): Set<string> {
  const keys = [...wanted.values()].flatMap((waiting) => [...waiting]);
  return new Set(keys.filter((key) => held.get(key)?.used === false));
}

function isDone(key: string, lease: Lease, { clock, state, oneByOne }: Keeper): boolean {
  const now = clock.now();
  if (key === allHosts) return oneByOne?.length === 0 || isForgotten(lease, { clock, state });
  const isIdle = now - lease.askedFor >= lookEveryMs;
  return (isIdle || (lease.over && lease.beginsUntil <= now)) && !state.isOpen(key);
}

/** Nothing has been asked for so long that even the last conversations no longer count. */
function isForgotten({ askedFor }: Lease, { clock, state }: Pick<Keeper, 'clock' | 'state'>): boolean {
  return clock.now() - askedFor > leaseKeptMs && state.recent().length === 0;
}

function toAskFor(keeper: Keeper): string[] {
  const { store, clock, held, wanted } = keeper;
  const soon = clock.now() + leaseMs / 2;
  const lapsing = [...neededKeys(keeper)].filter((key) => (held.get(key)?.beginsUntil ?? 0) < soon);
  const keys = [...new Set([...lapsing, ...wanted.keys()])].slice(0, mostKeys);
  if (keeper.oneByOne !== undefined) return [...keys, ...keeper.oneByOne.splice(0, mostKeys)];
  const mayBeAlone = held.has(allHosts) || clock.now() - keeper.refusedAllAt > askForAllMs;
  const asksForAll = store.lendsAllHosts && mayBeAlone && (held.size > 0 || wanted.size > 0);
  return asksForAll ? [allHosts, ...keys] : keys;
}

type AskedKeys = { asked: string[]; startedAt: number };

function takeAnswer(leases: HeldLease[], { asked, startedAt }: AskedKeys, keeper: Keeper): void {
  const { held, wanted, state, clock } = keeper;
  keeper.failing = false;
  keeper.unconfirmed = [];
  const hadAll = (held.get(allHosts)?.keptUntil ?? -Infinity) > clock.now();
  const ours = new Set(leases.map(({ key }) => key));
  for (const key of asked) if (!ours.has(key)) noteRefused(key, keeper);
  for (const lease of leases) {
    const known = held.get(lease.key);
    // Under a lease that we held, nobody else has talked to these hosts: what we counted ourselves is newer.
    if (known?.grant !== lease.grant && !hadAll && lease.key !== allHosts) state.load(lease);
    held.set(lease.key, {
      grant: lease.grant,
      beginsUntil: startedAt + leaseMs,
      keptUntil: startedAt + leaseKeptMs,
      askedFor: known?.askedFor ?? clock.now(),
      used: lease.key === allHosts,
      over: false,
    });
  }
  const hasAll = ours.has(allHosts) && keeper.oneByOne === undefined;
  const came = [...wanted.keys()].filter((key) => hasAll || ours.has(key));
  for (const key of came) wanted.delete(key);
  for (const key of came) keeper.onLease(key);
}

/** Not prolonged, or not given. A process that held all hosts goes on with those it has used lately. */
function noteRefused(key: string, keeper: Keeper): void {
  const lease = keeper.held.get(key);
  if (lease !== undefined) lease.over = true;
  if (key !== allHosts) return;
  keeper.refusedAllAt = keeper.clock.now();
  if (lease !== undefined) keeper.oneByOne ??= keeper.state.recent();
}

/** Whether anything was taken is not known; nothing is begun until the store answers again. */
function noteFailure(error: unknown, keeper: Keeper): void {
  if (keeper.oneByOne !== undefined) keeper.oneByOne = keeper.state.recent();
  const why = error instanceof Error ? error.message : String(error);
  if (!keeper.failing) keeper.onProblem(`host leases cannot be read, so no mail host is asked: ${why}`);
  keeper.failing = true;
}

/** A lease whose return does not arrive is free by itself a minute later. */
function giveAllBack(leases: HeldLease[], keeper: Keeper): void {
  const { held, store, unconfirmed } = keeper;
  const untouched = leases.filter(({ key }) => !held.has(key));
  const giveBack = [...unconfirmed, ...untouched, ...[...held].map((lease) => returned(lease, keeper))];
  held.clear();
  if (giveBack.length > 0) store.exchange({ take: [], prolong: [], giveBack }).catch(() => undefined);
}
