/** A fault of the name server for a name. */
export type ZoneBehaviour =
  | 'servfail'
  | 'refused'
  | 'notimp'
  | 'formerr'
  /** No answer over UDP; TCP is closed without an answer. */
  | 'silent'
  /** The first query of each question is lost, the next is answered. */
  | 'drops_first'
  /** UDP answers always say "truncated"; TCP serves. */
  | 'truncate'
  /** UDP answers always say "truncated"; TCP is closed without an answer. */
  | 'truncate_without_tcp'
  /** The only answer carries a different id than the query. */
  | 'wrong_id'
  /** The only answer belongs to another question. */
  | 'wrong_question'
  /** A forged answer with a wrong id comes first, the true one follows. */
  | 'forged_first'
  /** Bytes that are no DNS message, under the right id. */
  | 'garbage'
  /** The true answer, `slowMs` late. */
  | 'slow';

type RecordKind = 'MX' | 'A' | 'AAAA' | 'TXT' | 'PTR' | 'CNAME';

/** The records of one name, and how the server behaves when asked for them. */
export type Zone = {
  /** Preference and exchange. An odd exchange goes on the wire as written; '.' is the null MX. */
  mx?: [number, string][];
  a?: string[];
  aaaa?: string[];
  cname?: string;
  txt?: string[];
  ptr?: string[];
  /** Sets of addresses that A queries get in turn (DNS rebinding). Wins over `a`. */
  aInTurn?: string[][];
  /** In seconds; default 300. */
  ttl?: number;
  /** Life of a negative answer in seconds; default 60. */
  soaMinimum?: number;
  behaviour?: ZoneBehaviour;
  /** Wins over `behaviour` for that type. */
  behaviourOf?: Partial<Record<RecordKind, ZoneBehaviour>>;
  /** Delay of `slow`; default 1000. */
  slowMs?: number;
};

/** All names of the world. A name has records, exists only as the parent of others (RFC 8020), or does not exist. */
export type ZoneBook = {
  find(name: string): Zone | undefined;
  /** Returns true if the name exists, if only as a parent of another. */
  exists(name: string): boolean;
};

export function zoneBook(zones: Record<string, Zone>): ZoneBook {
  const byName = new Map<string, Zone>();
  const parents = new Set<string>();
  for (const [name, zone] of Object.entries(zones)) {
    const canonical = name.toLowerCase();
    byName.set(canonical, zone);
    for (const parent of ancestors(canonical)) parents.add(parent);
  }
  const hasWildcards = [...byName.keys()].some((name) => name.startsWith('*.'));

  const find = (name: string): Zone | undefined =>
    byName.get(name) ?? (hasWildcards && !parents.has(name) ? findWildcard(byName, name) : undefined);
  return { find, exists: (name) => find(name) !== undefined || parents.has(name) };
}

/** Returns the closest `*.parent` (RFC 4592). */
function findWildcard(byName: Map<string, Zone>, name: string): Zone | undefined {
  for (const parent of ancestors(name)) {
    const zone = byName.get(`*.${parent}`);
    if (zone !== undefined) return zone;
  }
  return undefined;
}

function ancestors(name: string): string[] {
  const labels = name.split('.');
  return labels.slice(1).map((_, index) => labels.slice(index + 1).join('.'));
}

/** The answer to every question: no such name, no data, or a null address. */
export type ResolverTurn = 'no_such_name' | 'no_data' | 'null_address';

type TurningBook = ZoneBook & {
  /** Turns, or tells the truth again. */
  turn(how: ResolverTurn | 'truthful'): void;
};

type BookParts = { now: () => number; keepsCache: boolean };

const usualTtlS = 300;

/**
 * Returns the book of a resolver that can turn: it then denies everything, like a resolver behind a VPN, a captive
 * portal or a filter. A resolver with a cache still answers earlier questions until their TTL, which counts down, is
 * over.
 */
export function turningBook(book: ZoneBook, { now, keepsCache }: BookParts): TurningBook {
  const keptUntil = new Map<string, number>();
  let how: ResolverTurn | 'truthful' = 'truthful';

  /** Returns the cached zone of a name with the seconds left, if the name was asked for before. */
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

/** Behaviour of a list: it answers truly, refuses our resolver, has no records any more, or lists every address. */
type BlockListTemper = 'truthful' | 'refuses' | 'empty' | 'lists_everybody';

export type BlockLists = {
  isListed(list: string, address: string): boolean;
  add(list: string, address: string): void;
  remove(list: string, address: string): void;
  turn(list: string, temper: BlockListTemper): void;
};

type List = { temper: BlockListTemper; reversed: Set<string> };

/** A list that works has these entries (RFC 5782 section 5). */
const testPoints = ['127.0.0.2', '::ffff:7f00:2'];

/**
 * Returns the DNS block lists of a world (RFC 5782): zones that answer for the reversed names of addresses. Tests add
 * and remove addresses while the world runs.
 */
export function blockListBook(
  book: ZoneBook,
  described: Record<string, readonly string[]>,
): ZoneBook & BlockLists {
  const lists = new Map<string, List>(
    Object.entries(described).map(([name, addresses]) => [
      name,
      { temper: 'truthful', reversed: new Set([...testPoints, ...addresses].map(reverse)) },
    ]),
  );
  function listOf(name: string): List {
    const list = lists.get(name);
    if (list === undefined) throw new Error(`the world has no block list ${name}`);
    return list;
  }
  function find(name: string): Zone | undefined {
    for (const [zone, list] of lists)
      if (name.endsWith(`.${zone}`)) return answer(list, name.slice(0, -zone.length - 1));
    return book.find(name);
  }
  return {
    find,
    exists: (name) => find(name) !== undefined || book.exists(name),
    isListed: (name, address) => listOf(name).reversed.has(reverse(address)),
    add: (name, address) => void listOf(name).reversed.add(reverse(address)),
    remove: (name, address) => void listOf(name).reversed.delete(reverse(address)),
    turn: (name, temper) => void (listOf(name).temper = temper),
  };
}

function answer({ temper, reversed }: List, name: string): Zone | undefined {
  switch (temper) {
    case 'truthful':
      return reversed.has(name) ? { a: ['127.0.0.2'], ttl: 60 } : undefined;
    case 'refuses':
      return { a: ['127.255.255.254'], ttl: 60 };
    case 'empty':
      return undefined;
    case 'lists_everybody':
      return { a: ['127.0.0.2'], ttl: 60 };
  }
}

/** Returns the octets of IPv4 or the 32 digits of IPv6, the last first. */
function reverse(address: string): string {
  if (!address.includes(':')) return address.split('.').toReversed().join('.');
  const [head = '', tail = ''] = address.split('::');
  const groups = (part: string): string[] => (part === '' ? [] : part.split(':'));
  const zeros = Array<string>(8 - groups(head).length - groups(tail).length).fill('0');
  const digits = [...groups(head), ...zeros, ...groups(tail)].map((group) => group.padStart(4, '0')).join('');
  return Array.from(digits).toReversed().join('.').toLowerCase();
}
