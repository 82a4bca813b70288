/**
 * The book of a resolver that can turn: from one moment on it denies everything, as one behind a VPN, a captive portal
 * or a filter does. One that keeps a cache goes on answering what it was asked for before, for as long as that may be
 * kept, and counts its life down.
 */
import type { Zone } from './zone.ts';
import type { ZoneBook } from './zone-book.ts';

/** What it says to everything: no such name, nothing there, or an address that leads nowhere. */
export type ResolverTurn = 'no_such_name' | 'no_data' | 'null_address';

type TurningBook = ZoneBook & {
  /** Turns, or tells the truth again. */
  turn(how: ResolverTurn | 'truthful'): void;
};

type BookParts = { now: () => number; keepsCache: boolean };

const usualTtlS = 300;

export function turningBook(book: ZoneBook, { now, keepsCache }: BookParts): TurningBook {
  const keptUntil = new Map<string, number>();
  let how: ResolverTurn | 'truthful' = 'truthful';

  /** What a name is in a cache: its zone with the seconds left, if it was asked for before. */
  function kept(name: string): Zone | undefined {
    const until = keptUntil.get(name);
    const zone = until !== undefined && until > now() ? book.find(name) : undefined;
    return zone && { ...zone, ttl: Math.floor(((until ?? 0) - now()) / 1_000) };
  }

  function findTruly(name: string): Zone | undefined {
    const zone = book.find(name);
    if (!keepsCache || zone === undefined) return zone;
    if (kept(name) === undefined) keptUntil.set(name, now() + 1_000 * (zone.ttl ?? usualTtlS));
    return kept(name) ?? zone;
  }

  return {
    find(name) {
      switch (how) {
        case 'truthful':
          return findTruly(name);
        case 'no_such_name':
          return kept(name);
        case 'no_data':
          return kept(name) ?? {};
        case 'null_address':
          return kept(name) ?? { a: ['0.0.0.0'], aaaa: ['::'], ttl: 2 };
      }
    },
    exists: (name) =>
      how === 'truthful' ? book.exists(name) : how === 'no_data' || kept(name) !== undefined,
    turn(next) {
      how = next;
    },
  };
}
