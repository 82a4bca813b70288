import type { Clock } from '../clock.ts';
import type { Complaint, RecentAsker } from './back-off.ts';

/**
 * The history of one address, network or group: its recent behaviour, which holds for every egress address, and the
 * open conversations from each of our egress addresses.
 */
export type HostHistory = {
  /** One for each egress address that it was asked from; mostly there is one. */
  from: readonly EgressCount[];
  /** How many may be open at once now, if fewer than usual; grows back one by one after a rest. */
  allowed: number | undefined;
  clean: number;
  /** Conversations in a row that could not be connected or were sent away for the time being. */
  failures: number;
  /** Conversations in a row that ended in silence. */
  silences: number;
  /** When failures and silences were last counted, here or elsewhere. */
  countedAt: number;
  rest: { until: number; reason: string } | undefined;
  slow: { perMinute: number; until: number } | undefined;
  /** Of a group: its recent complaints about us, and the last askers there. */
  complaints: readonly Complaint[];
  askers: readonly RecentAsker[];
  /** Whether it had to make room: a holder then looks it up anew. Never while a conversation is open. */
  isForgotten: boolean;
};

/** The keys under which a destination is counted. */
export type HostKeys = { readonly address: string; readonly network: string; readonly group: string };

/** Its histories under all of them, found together. */
export type FoundHistories = {
  readonly keys: HostKeys;
  readonly address: HostHistory;
  readonly network: HostHistory;
  readonly group: HostHistory;
};

/** The counts of one egress address at one address, network or group. */
export type EgressCount = {
  egress: string;
  open: number;
  /** Of these, the connections that the host may not have seen yet: it has not answered. */
  arriving: number;
  /** When the last connection was opened. */
  lastOpenedAt: number;
  /**
   * When connections of the last minute had arrived for certain, the oldest first; not kept for a network. A host
   * counts a connection when it sees it, which is between our opening it and its first answer, sometimes seconds
   * later.
   */
  arrivedAt: number[];
};

/** Histories by key, made on first use, with a bound on the number of idle ones. */
export type HostHistories = {
  of(key: string): HostHistory;
  /** Returns all three histories; none of them makes room for another. */
  ofAll(keys: HostKeys): FoundHistories;
  /** Every key with its history. */
  entries(): Iterable<[key: string, history: HostHistory]>;
  resting(): { key: string; reason: string; untilMs: number }[];
};

export function createHostHistories(clock: Clock, maxHistories: number): HostHistories {
  const histories = new Map<string, HostHistory>();

  function makeRoom(): void {
    if (histories.size >= maxHistories) forgetIdle(histories, clock, maxHistories / 2);
  }
  function findOrBegin(key: string): HostHistory {
    const known = histories.get(key);
    if (known !== undefined) return known;
    const fresh = emptyHistory();
    histories.set(key, fresh);
    return fresh;
  }

  return {
    of(key) {
      if (!histories.has(key)) makeRoom();
      return findOrBegin(key);
    },
    ofAll(keys) {
      makeRoom();
      const { address, network, group } = keys;
      return {
        keys,
        address: findOrBegin(address),
        network: findOrBegin(network),
        group: findOrBegin(group),
      };
    },
    entries: () => histories,
    resting: () =>
      [...histories].flatMap(([key, { rest }]) =>
        isRunning(rest, clock) ? [{ key, reason: rest.reason, untilMs: rest.until }] : [],
      ),
  };
}

export function isRunning<Span extends { until: number }>(
  span: Span | undefined,
  clock: Clock,
): span is Span {
  return span !== undefined && span.until > clock.now();
}

/**
 * Makes room by forgetting hosts that have nothing open and nothing held against them. Hosts that saw nothing of us
 * in the last minute go first. If that is not enough, hosts that saw little follow, whose minute then begins anew.
 */
function forgetIdle(histories: Map<string, HostHistory>, clock: Clock, enough: number): void {
  const minuteAgo = clock.now() - 60_000;
  for (const mostSeen of [0, 1, Infinity]) {
    for (const [key, history] of histories) {
      const { from, rest, slow } = history;
      const isOpen = from.some(({ open }) => open > 0);
      const seen = from.reduce((sum, { arrivedAt }) => sum + countAfter(minuteAgo, arrivedAt), 0);
      const isIdle = !isOpen && seen <= mostSeen;
      if (!isIdle || isRunning(rest, clock) || isRunning(slow, clock)) continue;
      histories.delete(key);
      history.isForgotten = true;
    }
    if (histories.size <= enough) return;
  }
}

function countAfter(time: number, times: readonly number[]): number {
  return times.reduce((count, at) => (at > time ? count + 1 : count), 0);
}

function emptyHistory(): HostHistory {
  return {
    from: nothing,
    allowed: undefined,
    clean: 0,
    failures: 0,
    silences: 0,
    countedAt: -Infinity,
    rest: undefined,
    slow: undefined,
    complaints: nothing,
    askers: nothing,
    isForgotten: false,
  };
}

/** Most of them hold an empty list, so they share this one. */
const nothing: readonly never[] = [];
