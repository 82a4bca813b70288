import type { OpenedAccount } from '../../support/open-fixture.ts';
import type { Random } from '../../support/random.ts';
import { greylistedPeople } from '../endurance/load-world.ts';

/**
 * A list as its owner knows it: the sent file, and the requested and acknowledged actions since. Unacknowledged
 * requests (the process was killed) may have taken effect or not.
 */
export type WatchedList = {
  owner: ListOwner;
  apiKey: string;
  isSandbox: boolean;
  name: string;
  file: string;
  rows: WatchedRow[];
  /** Check only this many addresses; undefined: all. */
  first: number | undefined;
  /** With a key, the upload can be repeated until it is acknowledged. */
  idempotencyKey: string | undefined;
  /** The client hung up before the last byte: the list may never exist. */
  isCut: boolean;
  /** Set once the upload is acknowledged. */
  listId: string | undefined;
  asked: Set<ListAction>;
  acknowledged: Set<ListAction>;
  /** The highest count ever shown. */
  checked: number;
  used: number;
  /** The status shown for a row, by its place in the file; it never changes again. */
  said: Map<number, string>;
};

export type ListAction = 'start' | 'pause' | 'resume' | 'cancel' | 'delete';

/** The progress acknowledged when a request was sent; later answers may not fall behind it. */
export type ListSnapshot = { acknowledged: ReadonlySet<ListAction>; checked: number };

export type ListOwner = OpenedAccount & {
  /** An owner that deletes no lists knows exactly what it has spent. */
  deletes: boolean;
};

export type WatchedRow = {
  /** As in the file, without the line end. */
  line: string;
  kind: 'address' | 'duplicate' | 'blank' | 'rejected';
  /** Lower case; empty if there is none. */
  email: string;
};

/** The actions and findings of the driver, over all rounds. */
export type ListWatch = {
  lists: WatchedList[];
  counts: { requests: number; lost: number; downloads: number; cut: number; refused: number };
  violations: string[];
};

const domains = [
  'catchall.test',
  'catchall.test',
  'strict.test',
  'slow.test',
  'nullmx.test',
  'blocked.test',
] as const;
const fewestRows = 100;
const moreRows = 200;
const longRows = 4_500;
/** Makes a file several pieces long. */
const note = 'a note of no importance, '.repeat(20);

type ListMaker = { random: Random; newNumber: () => number; /** Lists before it. */ ordinal: number };

export function newList(maker: ListMaker, owner: ListOwner): WatchedList {
  const { random, newNumber, ordinal } = maker;
  // Longer than the part handed to tasks at the start, so that more is handed out as they end.
  const isLong = random.chance(0.1);
  const isSandbox = isLong || random.chance(0.25);
  const rows = newRows(maker, { isSandbox, length: isLong ? longRows : fewestRows + random.below(moreRows) });
  const addresses = rows.filter(({ kind }) => kind === 'address').length;
  const name = `list-${newNumber()}`;
  return {
    owner,
    apiKey: isSandbox ? owner.testKey : owner.liveKey,
    isSandbox,
    name,
    file: ['email,note', ...rows.map(({ line }) => line), ''].join('\n'),
    rows,
    first: random.chance(0.2) ? 1 + random.below(addresses) : undefined,
    idempotencyKey: random.chance(0.7) ? `upload-of-${name}` : undefined,
    isCut: ordinal % 8 === 3,
    listId: undefined,
    asked: new Set(),
    acknowledged: new Set(),
    checked: 0,
    used: 0,
    said: new Map(),
  };
}

function newRows(
  { random, newNumber }: ListMaker,
  { isSandbox, length }: { isSandbox: boolean; length: number },
): WatchedRow[] {
  const seen: string[] = [];
  const known = new Set<string>();
  const row = (cell: string, kind: WatchedRow['kind'], email = ''): WatchedRow => {
    return { line: `${cell},"${length < longRows ? note : ''}${newNumber()}"`, kind, email };
  };
  const newAddress = (): string => {
    const number = newNumber();
    if (isSandbox) return `p${number}+safe@any.test`;
    // Rarely an address that must be asked for twice, and each of these once per list.
    if (random.chance(0.01)) return `regular${number % greylistedPeople}@greylist.test`;
    return `p${number}@${random.oneOf(domains)}`;
  };
  return Array.from({ length }, () => {
    const share = random.next();
    const [earlier] = seen;
    if (share < 0.02) return row('', 'blank');
    if (share < 0.04) return row('no address', 'rejected');
    if (share < 0.08 && earlier !== undefined) {
      const email = random.oneOf([earlier, ...seen]);
      return row(email.toUpperCase(), 'duplicate', email);
    }
    const email = newAddress();
    if (known.has(email)) return row(email, 'duplicate', email);
    known.add(email);
    seen.push(email);
    return row(email, 'address', email);
  });
}

export function countRows({ rows }: WatchedList): Record<string, number> {
  const of = (wanted: WatchedRow['kind']): number => rows.filter(({ kind }) => kind === wanted).length;
  return {
    rows: rows.length,
    addresses: of('address'),
    duplicates: of('duplicate'),
    blank: of('blank'),
    rejected: of('rejected'),
  };
}

/** Returns how many addresses a run of it checks. */
export function wantedOf(list: WatchedList): number {
  return list.first ?? list.rows.filter(({ kind }) => kind === 'address').length;
}
