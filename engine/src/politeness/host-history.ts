import type { Clock } from '../clock.ts';
import type { Complaint, RecentAsker } from './complaints.ts';

/** What is known of one address, network or group: what is open there, and what it has done lately. */
export type HostHistory = {
  open: number;
  /** How many may be open at once now, where that is fewer than usual; grows back one by one after a rest. */
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
  /** When connections were opened within the last minute. */
  openedAt: number[];
  /** Of a network: its addresses, and when one was last connected to. */
  addresses: Map<string, number> | undefined;
  /** Of a group: what it said against us lately, and who asked there last. */
  complaints: Complaint[];
  askers: RecentAsker[];
};

/** Histories by key, made when first asked for, with a bound on those that nothing holds. */
export type HostHistories = {
  of(key: string): HostHistory;
  /** Without making one. */
  find(key: string): HostHistory | undefined;
  /** The keys with something open, or opened after `since`. */
  activeAfter(since: number): string[];
  resting(): { key: string; reason: string; untilMs: number }[];
};

export function createHostHistories(clock: Clock, maxHistories: number): HostHistories {
  const histories = new Map<string, HostHistory>();
  return {
    of(key) {
      const known = histories.get(key);
      if (known !== undefined) return known;
      if (histories.size >= maxHistories) forgetIdle(histories, clock);
      const fresh = emptyHistory();
      histories.set(key, fresh);
      return fresh;
    },
    find: (key) => histories.get(key),
    activeAfter: (since) =>
      [...histories].flatMap(([key, { open, openedAt }]) =>
        open > 0 || (openedAt.at(-1) ?? -Infinity) > since ? [key] : [],
      ),
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

/** Makes room by forgetting every host that has nothing open and nothing held against it. */
function forgetIdle(histories: Map<string, HostHistory>, clock: Clock): void {
  for (const [key, { open, rest, slow }] of histories) {
    if (open === 0 && !isRunning(rest, clock) && !isRunning(slow, clock)) histories.delete(key);
  }
}

function emptyHistory(): HostHistory {
  return {
    open: 0,
    allowed: undefined,
    clean: 0,
    failures: 0,
    silences: 0,
    countedAt: -Infinity,
    rest: undefined,
    slow: undefined,
    openedAt: [],
    addresses: undefined,
    complaints: [],
    askers: [],
  };
}
