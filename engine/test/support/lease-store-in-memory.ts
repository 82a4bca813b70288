import type { Clock } from '../../src/clock.ts';
import {
  allHosts,
  leaseKeptMs,
  type HeldLease,
  type ReturnedLease,
  type LeaseStore,
} from '../../src/politeness/lease-store.ts';

/** A lease store for engines of one process, as a model of the one in the database. For tests. */
type Row = {
  holder: string;
  grant: number;
  until: number;
  wantedBy: string | undefined;
  state: unknown;
  savedAt: number;
};

const minuteMs = 60_000;
const handedMs = 2_000;

/** Answers with the store as one process sees it, by its name. */
export function createLeaseStoreInMemory(clock: Clock, lendsAllHosts: boolean): (name: string) => LeaseStore {
  const rows = new Map<string, Row>();
  const listeners = new Set<() => void>();
  let hasNews = false;
  let grants = 0;

  function isInTheWay(key: string, name: string): boolean {
    const now = clock.now();
    return rows.entries().some(([other, row]) => {
      const isHeld = row.holder !== name && row.until > now;
      if (other === allHosts) return isHeld;
      return key === allHosts && (isHeld || row.savedAt > now - minuteMs);
    });
  }
  function take(key: string, name: string): HeldLease | undefined {
    const now = clock.now();
    const row = rows.get(key);
    const isOurs = row?.holder === name;
    if ((row !== undefined && row.until > now && !isOurs) || isInTheWay(key, name)) {
      for (const other of [row, rows.get(allHosts)]) if (other !== undefined) want(other, name);
      return undefined;
    }
    const { state, savedAt } = row ?? { state: undefined, savedAt: -Infinity };
    const { wantedBy, grant } =
      isOurs && row.until > now ? row : { wantedBy: undefined, grant: (grants += 1) };
    rows.set(key, { holder: name, grant, until: now + leaseKeptMs, wantedBy, state, savedAt });
    return { key, grant, state: savedAt > now - minuteMs ? state : undefined, agoMs: now - savedAt };
  }
  function prolong(key: string, name: string): HeldLease | undefined {
    const row = rows.get(key);
    return row?.holder === name && row.wantedBy !== undefined ? undefined : take(key, name);
  }
  function want(row: Row, name: string): void {
    if (row.holder === name || row.until <= clock.now() || row.wantedBy !== undefined) return;
    row.wantedBy = name;
    hasNews = true;
  }
  function giveBack({ key, grant, state }: ReturnedLease, name: string): void {
    const row = rows.get(key);
    if (row?.holder !== name || row.grant !== grant) return;
    const now = clock.now();
    const next = key === allHosts ? undefined : row.wantedBy;
    hasNews ||= row.wantedBy !== undefined;
    rows.set(key, {
      holder: next ?? name,
      grant: (grants += 1),
      until: next === undefined ? 0 : now + handedMs,
      wantedBy: undefined,
      state,
      savedAt: state === undefined ? -Infinity : now,
    });
  }

  return (name) => ({
    lendsAllHosts,
    listen: (onChange) => void listeners.add(onChange),
    exchange(exchange) {
      for (const given of exchange.giveBack) giveBack(given, name);
      const leases = [
        ...exchange.take.flatMap((key) => take(key, name) ?? []),
        ...exchange.prolong.flatMap((key) => prolong(key, name) ?? []),
      ];
      if (hasNews) for (const listener of listeners) listener();
      hasNews = false;
      return Promise.resolve(leases);
    },
  });
}
