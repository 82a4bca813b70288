import type { Clock } from '../clock.ts';

/** What is known of one address, network or group: what is open there, and what it has done lately. */
export type Record = {
  open: number;
  /** How many may be open at once now, where that is fewer than usual; grows back one by one after a rest. */
  allowed: number | undefined;
  clean: number;
  setbacks: number;
  silences: number;
  /** When setbacks and silences were last counted, here or elsewhere. */
  countedAt: number;
  rest: { until: number; reason: string } | undefined;
  slow: { perMinute: number; until: number } | undefined;
  /** When connections were opened within the last minute. */
  openedAt: number[];
  /** Of a network: its addresses, and when one was last connected to. */
  addresses: Map<string, number> | undefined;
  policyRefusedAt: number[];
  /** Of the last fifty mailboxes: 1 for one that does not exist. */
  lastMailboxes: number[];
};

/** Records by key, made when first asked for, with a bound on those that nothing holds. */
export type RecordBook = {
  of(key: string): Record;
  /** Without making one. */
  find(key: string): Record | undefined;
  /** Whoever has something open, or had something opened after `since`. */
  activeAfter(since: number): string[];
  resting(): { key: string; reason: string; untilMs: number }[];
};

export function createRecordBook(clock: Clock, maxRecords: number): RecordBook {
  const records = new Map<string, Record>();
  return {
    of(key) {
      const known = records.get(key);
      if (known !== undefined) return known;
      if (records.size >= maxRecords) forgetIdle(records, clock);
      const fresh = emptyRecord();
      records.set(key, fresh);
      return fresh;
    },
    find: (key) => records.get(key),
    activeAfter: (since) =>
      [...records].flatMap(([key, { open, openedAt }]) =>
        open > 0 || (openedAt.at(-1) ?? -Infinity) > since ? [key] : [],
      ),
    resting: () =>
      [...records].flatMap(([key, { rest }]) =>
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

/** Makes room: whoever has nothing open and nothing held against it is forgotten. */
function forgetIdle(records: Map<string, Record>, clock: Clock): void {
  for (const [key, { open, rest, slow }] of records) {
    if (open === 0 && !isRunning(rest, clock) && !isRunning(slow, clock)) records.delete(key);
  }
}

function emptyRecord(): Record {
  return {
    open: 0,
    allowed: undefined,
    clean: 0,
    setbacks: 0,
    silences: 0,
    countedAt: -Infinity,
    rest: undefined,
    slow: undefined,
    openedAt: [],
    addresses: undefined,
    policyRefusedAt: [],
    lastMailboxes: [],
  };
}
