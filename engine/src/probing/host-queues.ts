import { createFairQueue, type FairQueue } from '../fair-queue.ts';
import type { Destination } from '../politeness/policy.ts';
import type { RouteChoice } from '../routes/choose-route.ts';
import type { PendingProbe, Visit } from './pending-probe.ts';

/** A mail host at one address, the probes that wait for it, and the sessions with it. */
export type HostQueue = {
  readonly key: string;
  readonly destination: Destination;
  /** The egress address that should ask for the probes here, before any other. */
  readonly egress: string | undefined;
  readonly waiting: FairQueue<PendingProbe>;
  /** Probes that have to begin a conversation: none can join one. */
  readonly beginning: FairQueue<PendingProbe>;
  open: number;
  /** Sessions that have not yet been greeted, and so will still take probes that wait. */
  arriving: number;
  /** Set while the queue waits for the clock. */
  cancelTimer: (() => void) | undefined;
  /** Begins the sessions that may begin by then. */
  readonly dispatch: () => void;
};

/** The queues of all hosts with something waiting or open. */
export class HostQueues {
  private readonly queues = new Map<string, HostQueue>();

  /**
   * Returns the queue of a host, made if there is none. Each egress address has its own: its sessions are not
   * shared.
   */
  of(destination: Destination, egress: string | undefined, dispatch: (queue: HostQueue) => void): HostQueue {
    const { target } = destination;
    const key = `${target.address} ${target.host} ${egress ?? ''}`;
    const known = this.queues.get(key);
    if (known !== undefined) return known;
    const queue: HostQueue = {
      key,
      destination,
      egress,
      waiting: createFairQueue(),
      beginning: createFairQueue(),
      open: 0,
      arriving: 0,
      cancelTimer: undefined,
      dispatch: () => dispatch(queue),
    };
    this.queues.set(key, queue);
    return queue;
  }

  forgetIfIdle(queue: HostQueue): void {
    if (queue.open > 0 || queue.waiting.size() > 0 || queue.beginning.size() > 0) return;
    queue.cancelTimer?.();
    this.queues.delete(queue.key);
  }

  /** Counts the sessions with a machine, under any name. */
  openAt(address: string): number {
    let open = 0;
    for (const queue of this.queues.values())
      if (queue.destination.target.address === address) open += queue.open;
    return open;
  }

  counts(): { waiting: number; open: number } {
    const counts = { waiting: 0, open: 0 };
    for (const { waiting, beginning, open } of this.queues.values()) {
      counts.waiting += waiting.size() + beginning.size();
      counts.open += open;
    }
    return counts;
  }
}

/** The outcome for probes that wait for a host without an open route: they wait for one, or they are told. */
type WayOut =
  /** Waits for the clock, or for an end under the key. */
  { kind: 'wait'; until: number | undefined; key: string } | { kind: 'turn_away'; visit: Visit };

/** The key under which queues wait whose egress address is not certain to be ours. */
export const ownership = 'ownership';

/** The key under which queues wait while our own HELO name and sender are looked up. */
export const ownIdentity = 'identity';

/** Probes wait for a route's volume of the minute, not for that of the day. */
const longestMinuteMs = 60_000;

const restReasons = {
  all_resting: 'no_route_open',
  banned: 'provider_bans_us',
  volume_spent: 'route_volume_spent',
} as const;

/** Reads why no route was chosen. */
export function wayOut(choice: RouteChoice & { kind: 'none' }, now: number): WayOut {
  switch (choice.why) {
    case 'lapsed':
      return { kind: 'wait', until: undefined, key: ownership };
    case 'identity_checking':
      return { kind: 'wait', until: undefined, key: ownIdentity };
    case 'not_ours':
    case 'closed':
    case 'identity_unproven':
      return { kind: 'turn_away', visit: { kind: choice.why } };
    case 'none_allowed':
      return { kind: 'turn_away', visit: restingVisit({ reason: 'no_route_open', until: undefined }, now) };
    case 'all_resting':
    case 'banned':
    case 'volume_spent': {
      const until = now + choice.waitMs;
      if (choice.why === 'volume_spent' && choice.waitMs <= longestMinuteMs)
        return { kind: 'wait', until, key: '' };
      return { kind: 'turn_away', visit: restingVisit({ reason: restReasons[choice.why], until }, now) };
    }
  }
}

export type KnownRest = { reason: string; until: number | undefined };

export function restingVisit({ reason, until }: KnownRest, now: number): Visit {
  return { kind: 'resting', reason, forMs: until === undefined ? undefined : Math.max(0, until - now) };
}
