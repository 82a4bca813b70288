import { ListProblem } from './list-problem.ts';
import { workbookLimits } from './workbook-limits.ts';

/**
 * The cost that reading one workbook may have, over all of its parts. A few kilobytes can stand for millions of elements
 * or gigabytes of text. So each allowance grows with the size of the file.
 */
export type WorkbookBudget = {
  /** Bytes that came out of the archive. */
  unpack: (bytes: number) => void;
  /** Elements, comments and processing instructions. */
  readElement: () => void;
  /** Characters that stay in memory until the file is read. */
  keep: (characters: number) => void;
  /** Characters and cells of rows that were read. */
  handOn: (characters: number) => void;
};

/** Memory of a table's entry beside its texts, in characters. */
export const entryCharacters = 120;

/** The cost of a blank row that the file need not hold, in characters: it is stored like any other. */
export const blankRowCharacters = 100;

export function createWorkbookBudget(fileBytes: number): WorkbookBudget {
  const { unpackedBytes, elements, elementsPerByte, keptCharacters, handedOnCharacters, perByte } =
    workbookLimits;
  const unpack = createAllowance(unpackedBytes + perByte * fileBytes, 'unpacks to far more than it should');
  const readElements = createAllowance(
    elements + elementsPerByte * fileBytes,
    'holds far more elements than its size explains',
  );
  return {
    unpack,
    readElement: () => readElements(1),
    keep: createAllowance(keptCharacters, 'has too many parts, sheets or styles'),
    handOn: createAllowance(
      handedOnCharacters + perByte * fileBytes,
      'holds far more rows or text than its size explains',
    ),
  };
}

function createAllowance(most: number, what: string): (spent: number) => void {
  let left = most;
  return (spent) => {
    left -= spent;
    if (left < 0) throw tooMuch(what);
  };
}

/** Refuses a workbook that is read more cheaply as CSV. */
export function tooMuch(what: string): ListProblem {
  return new ListProblem('invalid_list', `The workbook ${what}. Export the list as CSV and upload that.`);
}
