import type { RouteChoice } from '../routes/choose-route.ts';
import type { Visit } from './pending-probe.ts';

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
