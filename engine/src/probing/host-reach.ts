import { createBoundedCache } from '../bounded-cache.ts';
import type { Clock } from '../clock.ts';
import type { Limits } from '../limits.ts';
import { emptyNamespace, isFields, type MemoryNamespace } from '../memory.ts';
import type { Visit } from './pending-probe.ts';

/**
 * Since when a mail host could not be reached. A preferred host that was unreachable for a day is a name that was
 * left behind in DNS, and its backup is the mail host of the domain.
 */
export type HostReach = {
  /** Notes the outcome of a visit. */
  note(host: string, visit: Visit['kind']): void;
  /** Whether the host could not be reached for a day, however often it was tried. */
  isGone(host: string): boolean;
};

type ReachParts = {
  clock: Clock;
  /** Tells times that outlive the process. */
  wallClock: { now(): number };
  limits: Pick<Limits, 'hostTraitEntries' | 'hostGoneMs' | 'hostReachMs'>;
  memory?: MemoryNamespace;
};

export function createHostReach(parts: ReachParts): HostReach {
  const { clock, wallClock, limits, memory = emptyNamespace } = parts;
  /** When each host was first found unreachable, after it was last reached. */
  const since = createBoundedCache<number>({ clock, maxEntries: limits.hostTraitEntries });
  memory.follow(({ key, value, lifeMs }) => {
    const told = isFields(value) ? value['since'] : undefined;
    if (lifeMs <= 0) since.delete(key);
    else if (typeof told === 'number')
      since.set(key, Math.min(told, since.peek(key) ?? told), Math.min(lifeMs, limits.hostReachMs));
  });
  return {
    note(host, visit) {
      const before = since.get(host);
      if (visit === 'not_connected') {
        since.set(host, before ?? wallClock.now(), limits.hostReachMs);
        if (before === undefined) memory.learn(host, { since: wallClock.now() }, limits.hostReachMs);
      } else if (before !== undefined && (visit === 'answered' || visit === 'no_answer')) {
        since.delete(host);
        memory.learn(host, null, 0);
      }
    },
    isGone(host) {
      const first = since.peek(host);
      return first !== undefined && wallClock.now() - first >= limits.hostGoneMs;
    },
  };
}
