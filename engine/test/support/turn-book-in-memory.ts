import type { Clock } from '../../src/clock.ts';
import {
  everything,
  turnKeptMs,
  type HeldTurn,
  type ReturnedTurn,
  type TurnBook,
} from '../../src/politeness/turn-book.ts';

/** A book of turns for engines of one process, as a model of the one that a database keeps. For tests. */
type Page = {
  holder: string;
  grant: number;
  until: number;
  wantedBy: string | undefined;
  state: unknown;
  savedAt: number;
};

const minuteMs = 60_000;
const handedMs = 2_000;

/** Answers with the book as one process sees it, by its name. */
export function createTurnBookInMemory(clock: Clock, lendsEverything: boolean): (name: string) => TurnBook {
  const pages = new Map<string, Page>();
  const listeners = new Set<() => void>();
  let hasNews = false;
  let grants = 0;

  function isInTheWay(key: string, name: string): boolean {
    const now = clock.now();
    return pages.entries().some(([other, page]) => {
      const isHeld = page.holder !== name && page.until > now;
      if (other === everything) return isHeld;
      return key === everything && (isHeld || page.savedAt > now - minuteMs);
    });
  }
  function take(key: string, name: string): HeldTurn | undefined {
    const now = clock.now();
    const page = pages.get(key);
    const isOurs = page?.holder === name;
    if ((page !== undefined && page.until > now && !isOurs) || isInTheWay(key, name)) {
      for (const other of [page, pages.get(everything)]) if (other !== undefined) want(other, name);
      return undefined;
    }
    const { state, savedAt } = page ?? { state: undefined, savedAt: -Infinity };
    const { wantedBy, grant } =
      isOurs && page.until > now ? page : { wantedBy: undefined, grant: (grants += 1) };
    pages.set(key, { holder: name, grant, until: now + turnKeptMs, wantedBy, state, savedAt });
    return { key, grant, state: savedAt > now - minuteMs ? state : undefined, agoMs: now - savedAt };
  }
  function prolong(key: string, name: string): HeldTurn | undefined {
    const page = pages.get(key);
    return page?.holder === name && page.wantedBy !== undefined ? undefined : take(key, name);
  }
  function want(page: Page, name: string): void {
    if (page.holder === name || page.until <= clock.now() || page.wantedBy !== undefined) return;
    page.wantedBy = name;
    hasNews = true;
  }
  function giveBack({ key, grant, state }: ReturnedTurn, name: string): void {
    const page = pages.get(key);
    if (page?.holder !== name || page.grant !== grant) return;
    const now = clock.now();
    const next = key === everything ? undefined : page.wantedBy;
    hasNews ||= page.wantedBy !== undefined;
    pages.set(key, {
      holder: next ?? name,
      grant: (grants += 1),
      until: next === undefined ? 0 : now + handedMs,
      wantedBy: undefined,
      state,
      savedAt: state === undefined ? -Infinity : now,
    });
  }

  return (name) => ({
    lendsEverything,
    listen: (onChange) => void listeners.add(onChange),
    exchange(exchange) {
      for (const given of exchange.giveBack) giveBack(given, name);
      const turns = [
        ...exchange.take.flatMap((key) => take(key, name) ?? []),
        ...exchange.prolong.flatMap((key) => prolong(key, name) ?? []),
      ];
      if (hasNews) for (const listener of listeners) listener();
      hasNews = false;
      return Promise.resolve(turns);
    },
  });
}
