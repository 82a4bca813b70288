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
import { rowsOfCell, type SurveyedRow } from './rows-of-cell.ts';
import type { ColumnWish } from './reading/find-layout.ts';
import { createDomainSuggestions, type NearProvider } from './suggest-domains.ts';

/**
 * Reads a list once from beginning to end and writes down what each row is: an address, a duplicate of an earlier one,
 * no address, or nothing. What the run will cost is known after it.
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
  /** The column with the addresses, from 0, where somebody chose it. */
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

/** In one transaction, and between two rests. */
const rowsAtOnce = 500;

/** The longest rest between two of them. */
const longestRestMs = 100;

/**
 * Reading and writing rows would keep the event loop and the database busy to the last row. So after each portion the
 * survey rests for as long as that portion took: others who ask this process have half of its time.
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

/** The rows that a line of the file makes; the heading and what stands above it make none. */
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

/** Reads cells, but none again that is like the one before: one address may fill a whole file. */
function rememberLastCell(): typeof rowsOfCell {
  let last: { cell: string; split: boolean; rows: SurveyedRow[] } | undefined;
  return (cell, split) => {
    if (last?.cell !== cell || last.split !== split) last = { cell, split, rows: rowsOfCell(cell, split) };
    return last.rows;
  };
}

/** Numbers the rows, tells duplicates apart and counts. */
function createRowCounter(listId: string, mostRows: number) {
  const table = createAddressTable();
  let last: { address: Address; first: number } | undefined;
  const counts = { rows: 0, addresses: 0, duplicates: 0, blank: 0, rejected: 0, repaired: 0 };
  const empty = { list_id: listId, email: null, host: null, same_as: null, repaired: null, fault: null };

  /** The row that had the address first. A cell that is repeated brings the very same address. */
  function firstRowOf(address: Address, row: number): number {
    // Two addresses are the same if local part and domain agree without regard to case, as in tasks.
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
