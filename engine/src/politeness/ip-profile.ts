import type { Clock } from '../clock.ts';
import { createFairQueue, type Asker } from '../fair-queue.ts';
import type { RouteSetting } from './policy.ts';

/**
 * The limits of one of our egress addresses over all destinations together, by its reputation. Limits per
 * destination leave the sum open: a list over a thousand hosts stays within each of them and is still a flood.
 *
 * - `new`: receivers have not met the address. 5 connections a second, and a volume per day that grows slowly.
 * - `established`: it has a history.
 * - `private`: no outside host sees it (closed networks, tests): no limit over all destinations.
 *
 * The figures are ours; no receiver publishes any. `docs/providers.md` prints them.
 */
export type IpProfile = keyof typeof ipProfiles;

export type IpProfilePace = { readonly connectionsPerSecond: number; readonly burst: number };

export const ipProfiles = {
  new: { connectionsPerSecond: 5, burst: 5, warmUp: { startPerDay: 500, doubleEveryDays: 7 } },
  established: { connectionsPerSecond: 50, burst: 200, warmUp: undefined },
  private: { connectionsPerSecond: Infinity, burst: Infinity, warmUp: undefined },
} as const satisfies Record<string, IpProfilePace & { warmUp: RouteSetting['warmUp'] }>;

export const ipProfileNames = ['new', 'established', 'private'] as const satisfies readonly IpProfile[];

/** Describes a profile's limits in one line. */
export function describeIpProfile(name: IpProfile): string {
  const { connectionsPerSecond, burst, warmUp } = ipProfiles[name];
  if (!Number.isFinite(connectionsPerSecond)) return `${name}: no limit over all destinations`;
  const rate = `${name}: ${connectionsPerSecond} new connections/s per egress address, burst ${burst}`;
  if (warmUp === undefined) return rate;
  return `${rate}, ${warmUp.startPerDay} a day at first, doubled every ${warmUp.doubleEveryDays} days`;
}

/**
 * The rate of new connections from each egress address. Callers that wait are served as in every queue of ours:
 * single verifications first, accounts in turn. So the account that asks for much waits for itself.
 */
export type EgressPace = {
  /** Whether one more connection may begin now. If not, `whenFree` is called once, when it is worth another try. */
  mayOpen(egress: string, caller: PacedCaller): boolean;
  opened(egress: string): void;
  /** Notes that another process had the address until now, and may have used its burst up. */
  takeOver(egress: string): void;
};

/** `whenFree` is the same function each time for the same mail host: it waits once for each asker. */
export type PacedCaller = { readonly asker: Asker; readonly whenFree: () => void };

export const unlimitedPace: EgressPace = {
  mayOpen: () => true,
  opened: () => undefined,
  takeOver: () => undefined,
};

export function createEgressPace(pace: IpProfilePace, clock: Clock): EgressPace {
  if (!Number.isFinite(pace.connectionsPerSecond)) return unlimitedPace;
  const buckets = new Map<string, Bucket>();
  function bucketOf(egress: string): Bucket {
    const known = buckets.get(egress);
    if (known !== undefined) return known;
    const bucket = new Bucket(pace, clock);
    buckets.set(egress, bucket);
    return bucket;
  }
  return {
    mayOpen: (egress, caller) => bucketOf(egress).mayOpen(caller),
    opened: (egress) => bucketOf(egress).take(),
    takeOver: (egress) => bucketOf(egress).empty(),
  };
}

/** Sums of fractions come out a little below the whole. */
const almostOne = 1 - 1e-6;

/** Connections that may begin at once from one egress address, with the callers that wait for the next. */
class Bucket {
  private readonly perMs: number;
  private readonly burst: number;
  private readonly clock: Clock;
  private level: number;
  private at: number;
  private readonly waiting = createFairQueue<PacedCaller>();
  private readonly known = new Map<() => void, Map<string, PacedCaller>>();
  private isTicking = false;
  /** Whether a caller has just been called: it is its turn. */
  private isCalling = false;

  constructor({ connectionsPerSecond, burst }: IpProfilePace, clock: Clock) {
    this.perMs = connectionsPerSecond / 1_000;
    this.burst = burst;
    this.clock = clock;
    this.level = burst;
    this.at = clock.now();
  }

  mayOpen(caller: PacedCaller): boolean {
    this.fill();
    if (this.level >= almostOne && (this.isCalling || this.waiting.size() === 0)) {
      this.isCalling = false;
      return true;
    }
    this.keep(caller);
    this.tickWhenFull();
    return false;
  }

  take(): void {
    this.fill();
    this.level -= 1;
  }

  empty(): void {
    this.level = 0;
    this.at = this.clock.now();
  }

  private fill(): void {
    const now = this.clock.now();
    this.level = Math.min(this.burst, this.level + (now - this.at) * this.perMs);
    this.at = now;
  }

  private keep(caller: PacedCaller): void {
    const { asker, whenFree } = caller;
    const name = nameOf(asker);
    const ofHost = this.known.get(whenFree) ?? new Map<string, PacedCaller>();
    if (ofHost.has(name)) return;
    ofHost.set(name, caller);
    this.known.set(whenFree, ofHost);
    this.waiting.add(caller);
  }

  private tickWhenFull(): void {
    if (this.isTicking) return;
    this.isTicking = true;
    this.clock.after(Math.max(1, Math.ceil((1 - this.level) / this.perMs)), () => {
      this.isTicking = false;
      this.serve();
      if (this.waiting.size() > 0) this.tickWhenFull();
    });
  }

  /** Calls the waiting callers in turn; a caller that opens no connection after all leaves it to the next. */
  private serve(): void {
    this.fill();
    while (this.level >= almostOne) {
      const caller = this.waiting.take();
      if (caller === undefined) return;
      const ofHost = this.known.get(caller.whenFree);
      ofHost?.delete(nameOf(caller.asker));
      if (ofHost?.size === 0) this.known.delete(caller.whenFree);
      this.isCalling = true;
      caller.whenFree();
      this.isCalling = false;
    }
  }
}

function nameOf({ urgency, account }: Asker): string {
  return `${urgency} ${account}`;
}
