import type { OpenedAccount } from '../../support/open-fixture.ts';
import type { Random } from '../../support/random.ts';
import { greylistedPeople } from '../endurance/load-world.ts';

/**
 * A list as its owner knows it: the file that was sent, and what was asked and acknowledged since. What was asked and not
 * acknowledged (the plug was pulled) may have happened or not.
 */
export type WatchedList = {
  owner: ListOwner;
  apiKey: string;
  isSandbox: boolean;
  name: string;
  file: string;
  rows: WatchedRow[];
  /** Only so many addresses are checked; all of them where it is not said. */
  first: number | undefined;
  /** Where it was sent with one, its upload can be repeated until it is acknowledged. */
  idempotencyKey: string | undefined;
  /** The client hung up before the last byte: there may never be such a list. */
  isCut: boolean;
  /** Once the upload is acknowledged. */
  listId: string | undefined;
  asked: Set<ListAction>;
  acknowledged: Set<ListAction>;
  /** The most that was ever shown. */
  checked: number;
  used: number;
  /** What a row was shown to say, by its place in the file; it never says anything else again. */
  said: Map<number, string>;
};

export type ListAction = 'start' | 'pause' | 'resume' | 'cancel' | 'delete';

/** The progress acknowledged when a request was sent; later answers may not fall behind it. */
export type ListSnapshot = { acknowledged: ReadonlySet<ListAction>; checked: number };

export type ListOwner = OpenedAccount & {
  /** One whose lists are never deleted knows to the credit what it has spent. */
  deletes: boolean;
};

export type WatchedRow = {
  /** As it stands in the file, without the line end. */
  line: string;
  kind: 'address' | 'duplicate' | 'blank' | 'rejected';
  /** Lower case; empty where there is none. */
  email: string;
};

/** What the driver has done and found, over all rounds. */
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
/** So that a file is several pieces long. */
const note = 'a note of no importance, '.repeat(20);

type ListMaker = { random: Random; newNumber: () => number; /** Lists before it. */ ordinal: number };

export function newList(maker: ListMaker, owner: ListOwner): WatchedList {
  const { random, newNumber, ordinal } = maker;
  // Longer than what is handed to tasks at the start, so that more is handed out as they end.
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
    // Seldom one that has to be asked for twice, and each of these only once in a list.
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

/** How many addresses a run of it checks. */
export function wantedOf(list: WatchedList): number {
  return list.first ?? list.rows.filter(({ kind }) => kind === 'address').length;
}
