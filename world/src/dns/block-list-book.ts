/**
 * DNS block lists of a world (RFC 5782): zones that answer for the reversed names of addresses. Addresses come and go
 * while the world runs. A list may also be one that refuses to answer, was given up, or lists the whole world.
 */
import type { Zone } from './zone.ts';
import type { ZoneBook } from './zone-book.ts';

/** What a list is like: it answers truly, refuses our resolver, has no records any more, or lists everybody. */
export type BlockListTemper = 'truthful' | 'refuses' | 'empty' | 'lists_everybody';

export type BlockLists = {
  isListed(list: string, address: string): boolean;
  add(list: string, address: string): void;
  remove(list: string, address: string): void;
  turn(list: string, temper: BlockListTemper): void;
};

type List = { temper: BlockListTemper; reversed: Set<string> };

/** RFC 5782 section 5: a list that lives has these. */
const testPoints = ['127.0.0.2', '::ffff:7f00:2'];

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

/** The octets of IPv4 or the 32 digits of IPv6, the last first. */
function reverse(address: string): string {
  if (!address.includes(':')) return address.split('.').toReversed().join('.');
  const [head = '', tail = ''] = address.split('::');
  const groups = (part: string): string[] => (part === '' ? [] : part.split(':'));
  const zeros = Array<string>(8 - groups(head).length - groups(tail).length).fill('0');
  const digits = [...groups(head), ...zeros, ...groups(tail)].map((group) => group.padStart(4, '0')).join('');
  return Array.from(digits).toReversed().join('.').toLowerCase();
}
