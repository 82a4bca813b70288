import { setTimeout as sleep } from 'node:timers/promises';
import type { Address } from '@mailproof/engine';
import type { Store } from '../../core/store/store.ts';
import { createAddressTable } from './address-table.ts';
import { insertRows, type NewListRow } from './insert-rows.ts';
import type { List } from './list.ts';
import type { ListFile } from './reading/list-file.ts';
import { ListProblem } from './reading/list-problem.ts';
import { planReading, readList, type FileRow, type ReadingPlan } from './reading/read-list.ts';
import type { WorkbookReaders } from './reading/workbook-readers.ts';
import type { ColumnWish } from './reading/find-layout.ts';
import { readCell } from './reading/read-cell.ts';
import type { DomainSuggestion } from '@mailproof/client';

/**
 * The survey of a list. It reads the file once and records each row as an address, a duplicate, no address, or blank.
 * The cost of the run is known afterwards.
 */
export type Survey = {
  plan: ReadingPlan;
  counts: List['counts'];
  suggestions: List['suggestions'];
  expectedSeconds: number | null;
};

type SurveyOrder = {
  listId: string;
  accountId: string;
  mode: List['mode'];
  file: ListFile;
  isValidUtf8: boolean;
  /** The column with the addresses, from 0, if the caller chose it. */
  column?: ColumnWish | undefined;
  split: boolean;
};

export type SurveyParts = {
  store: Pick<Store, 'write'>;
  listMaxRows: number;
  workbooks: WorkbookReaders;
  nearProvider: Readonly<Record<List['mode'], NearProvider>>;
  /** Estimates a run from the number of mailboxes at each domain. */
  expectSeconds?(mailboxes: ReadonlyMap<string, number>): number;
};

/** Rows per transaction, and between two rests. */
const rowsAtOnce = 500;

/** Longest rest between two portions. */
const longestRestMs = 100;

/**
 * Spreads the survey over time, since reading and writing rows would block the event loop and the database. After each
 * portion it rests for as long as the portion took. Other requests so get half of the process's time.
 */
function createRests() {
  let workingSince = performance.now();
  return async (): Promise<void> => {
    await sleep(Math.min(longestRestMs, performance.now() - workingSince));
    workingSince = performance.now();
  };
}

export async function surveyList(order: SurveyOrder, parts: SurveyParts): Promise<Survey> {
  const { file, isValidUtf8, column, split } = order;
  const readWorkbook = parts.workbooks.readerFor(order);
  const plan = await planReading(file, { isValidUtf8, column }, readWorkbook);
  const count = createRowCounter(order.listId, parts.listMaxRows);
  const read = rememberLastCell();
  const suggestions = createDomainSuggestions(parts.nearProvider[order.mode]);
  const mailboxes = new Map<string, number>();
  const rest = createRests();
  let unwritten: NewListRow[] = [];
  const write = async (): Promise<void> => {
    const rows = unwritten;
    unwritten = [];
    if (rows.length > 0)
      await parts.store.write((tx) => {
        insertRows(tx, rows);
        return Promise.resolve();
      });
  };
  for await (const batch of readList(file, plan, readWorkbook)) {
    for (const line of batch) {
      for (const row of rowsOfLine(line, plan, { split, read })) {
        const added = count.add(row);
        unwritten.push(added);
        if (added.host !== null) mailboxes.set(added.host, (mailboxes.get(added.host) ?? 0) + 1);
        if (row.kind === 'address') suggestions.add(row.address);
      }
      if (unwritten.length < rowsAtOnce) continue;
      await write();
      await rest();
    }
  }
  await write();
  return {
    plan,
    counts: count.counts(),
    suggestions: suggestions.told(),
    expectedSeconds: order.mode === 'test' ? null : (parts.expectSeconds?.(mailboxes) ?? null),
  };
}

/** Returns the rows of a line; the heading and lines above it have none. */
export function rowsOfLine(
  line: FileRow,
  { layout }: ReadingPlan,
  { split, read = rowsOfCell }: { split: boolean; read?: typeof rowsOfCell },
): SurveyedRow[] {
  if (line.kind !== 'row') return [];
  if (layout.shape === 'table') return read(line.cells[layout.column] ?? '', split);
  const cells = line.cells.filter((cell) => cell.trim() !== '');
  return cells.flatMap((cell) => read(cell, true));
}

/** Reads cells, but reuses the previous reading for an equal cell: one address may fill a whole file. */
function rememberLastCell(): typeof rowsOfCell {
  let last: { cell: string; split: boolean; rows: SurveyedRow[] } | undefined;
  return (cell, split) => {
    if (last?.cell !== cell || last.split !== split) last = { cell, split, rows: rowsOfCell(cell, split) };
    return last.rows;
  };
}

/** Numbers the rows, finds duplicates and counts. */
function createRowCounter(listId: string, mostRows: number) {
  const table = createAddressTable();
  let last: { address: Address; first: number } | undefined;
  const counts = { rows: 0, addresses: 0, duplicates: 0, blank: 0, rejected: 0, repaired: 0 };
  const empty = { list_id: listId, email: null, host: null, same_as: null, repaired: null, fault: null };

  /** Returns the row that had the address first. A repeated cell brings the same address object. */
  function firstRowOf(address: Address, row: number): number {
    // Addresses are equal if local part and domain agree without regard to case, as in tasks.
    if (last?.address !== address)
      last = {
        address,
        first: table.firstRowOf(`${address.localPart.toLowerCase()}@${address.host}`, row),
      };
    return last.first;
  }

  function addAddress({ address, repaired }: SurveyedRow & { kind: 'address' }): NewListRow {
    const row = counts.rows;
    const first = firstRowOf(address, row);
    const { email, host } = address;
    if (repaired !== null) counts.repaired += 1;
    if (first === row) {
      counts.addresses += 1;
      return { list_id: listId, row, kind: 'address', email, host, same_as: null, repaired, fault: null };
    }
    counts.duplicates += 1;
    return {
      list_id: listId,
      row,
      kind: 'duplicate',
      email,
      host: null,
      same_as: first,
      repaired,
      fault: null,
    };
  }

  return {
    add(surveyed: SurveyedRow): NewListRow {
      if (counts.rows >= mostRows) throw tooManyRows(mostRows);
      counts.rows += 1;
      switch (surveyed.kind) {
        case 'blank':
          counts.blank += 1;
          return { ...empty, row: counts.rows, kind: 'blank' };
        case 'rejected':
          counts.rejected += 1;
          return {
            ...empty,
            row: counts.rows,
            kind: 'rejected',
            email: surveyed.cell,
            fault: surveyed.fault,
          };
        case 'address':
          return addAddress(surveyed);
      }
    },
    counts: () => counts,
  };
}

function tooManyRows(most: number): ListProblem {
  const number = most.toLocaleString('en-US');
  return new ListProblem(
    'list_too_large',
    `The list has more than ${number} rows. Split it, and upload the parts.`,
  );
}

/** A row of the file as the survey reads it, before duplicates are found. */
type SurveyedRow =
  | { kind: 'blank' }
  | { kind: 'rejected'; cell: string; fault: string }
  | { kind: 'address'; address: Address; repaired: string | null };

const cellCharactersKept = 254;

/** Returns the rows of one cell: one, or if every address gets a row of its own, one per address. */
function rowsOfCell(cell: string, split: boolean): SurveyedRow[] {
  const reading = readCell(cell);
  switch (reading.kind) {
    case 'blank':
      return [{ kind: 'blank' }];
    case 'rejected':
      return [{ kind: 'rejected', cell: cell.trim().slice(0, cellCharactersKept), fault: reading.fault }];
    case 'address': {
      const { address, repaired, others } = reading;
      if (!repaired) return [{ kind: 'address', address, repaired: null }];
      if (split)
        return [address, ...others].map((one) => ({ kind: 'address', address: one, repaired: one.email }));
      return [{ kind: 'address', address, repaired: tellRepair(address, others) }];
    }
  }
}

const othersTold = 10;

/** Names the address that is checked, and the addresses in the same cell that are not. */
function tellRepair(address: Address, others: Address[]): string {
  if (others.length === 0) return address.email;
  const told = others.slice(0, othersTold).map(({ email }) => email);
  const more = others.length > told.length ? `, and ${others.length - told.length} more` : '';
  return `${address.email} (not checked: ${told.join(', ')}${more})`;
}

/** Returns the large provider that was most likely meant, without any network request. */
type NearProvider = (address: Address) => string | undefined;

/** Suggestions per list. */
const suggestionsTold = 20;
/** Domains counted per list. Only a made-up list has more that are one typo away from a provider. */
const domainsCounted = 2_000;

/**
 * Counts the rows of domains that are one typo away from a large provider (`gmial.com`). Their owner can correct them
 * before the list is started and paid for. Such a domain may still take mail: DNS was not asked.
 */
function createDomainSuggestions(nearProvider: NearProvider) {
  const found = new Map<string, DomainSuggestion>();
  let last: { address: Address; meant: string | undefined } | undefined;
  return {
    add(address: Address): void {
      // A repeated cell brings the same address object.
      if (last?.address !== address) last = { address, meant: nearProvider(address) };
      const { meant } = last;
      if (meant === undefined) return;
      const { host } = address;
      const known = found.get(host);
      if (known !== undefined) known.rows += 1;
      else if (found.size < domainsCounted) found.set(host, { domain: host, did_you_mean: meant, rows: 1 });
    },
    /** Returns the suggestions with the most rows first. */
    told: (): DomainSuggestion[] =>
      [...found.values()]
        .sort((a, b) => b.rows - a.rows || (a.domain < b.domain ? -1 : 1))
        .slice(0, suggestionsTold),
  };
}
