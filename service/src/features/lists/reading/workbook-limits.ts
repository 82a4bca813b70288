/**
 * Limits of a workbook. A file within these limits is read in bounded memory and time; one beyond them
 * is refused. `docs/limits.md` is written from this table (`npm run docs`).
 */
export const workbookLimitTable = {
  entries: { value: 10_000, meaning: 'parts of the archive' },
  keptCharacters: {
    value: 4_194_304,
    meaning: 'names of parts, sheets, relations and formats together; they are kept while the file is read',
  },
  partBytes: { value: 1_073_741_824, meaning: 'one part of the workbook, unpacked' },
  ratio: {
    value: 250,
    meaning: 'unpacked bytes for each packed one, in a part larger than `ratioFromBytes`',
  },
  ratioFromBytes: { value: 16_777_216, meaning: 'size from which on `ratio` is applied' },
  unpackedBytes: { value: 33_554_432, meaning: 'all that is unpacked, beside `perByte` for each byte' },
  elements: { value: 1_000_000, meaning: 'XML elements, comments and the like, beside `elementsPerByte`' },
  elementsPerByte: { value: 6, meaning: 'further elements for each byte of the file' },
  handedOnCharacters: {
    value: 33_554_432,
    meaning: 'characters and cells of all rows together, beside `perByte` for each byte',
  },
  perByte: { value: 32, meaning: 'further unpacked bytes, or characters of rows, for each byte of the file' },
  depth: { value: 64, meaning: 'XML elements inside each other' },
  attributes: { value: 64, meaning: 'attributes of an XML element' },
  nameCharacters: { value: 256, meaning: 'name of an XML element or attribute' },
  stretchCharacters: {
    value: 524_288,
    meaning: 'one stretch of XML: a tag with its attributes, a text, a comment',
  },
  sharedStrings: { value: 4_000_000, meaning: 'texts that cells refer to' },
  sharedCharacters: { value: 67_108_864, meaning: 'these texts together' },
  sharedPackedBytes: { value: 16_777_216, meaning: 'these texts together, packed as they are kept' },
  sharedUnpackings: {
    value: 2_500,
    meaning: 'blocks of these texts that are unpacked again because cells refer to them out of order',
  },
  styles: { value: 65_536, meaning: 'cell styles, as many as Excel has' },
  sheets: { value: 100, meaning: 'sheets that are looked at' },
  columns: { value: 1_000, meaning: 'columns that are read' },
  cellCharacters: { value: 32_767, meaning: 'text of a cell, as in Excel' },
  rowCharacters: { value: 1_048_576, meaning: 'cells of a row together' },
  blankRows: { value: 1_000, meaning: 'blank rows in a row; a longer gap is left out' },
  heapMb: { value: 28, meaning: 'heap of the thread that reads a workbook, in MB' },
  readers: { value: 4, meaning: 'workbooks that are read at once in one process, each in its own thread' },
  readersOfAccount: { value: 2, meaning: 'of these, of the live or the test keys of one account' },
  readerIdleMs: {
    value: 2_000,
    meaning: 'time for which a slow download keeps its thread while others wait for one',
  },
  readerWaitMs: { value: 1_800_000, meaning: 'longest wait for such a thread' },
  silenceMs: { value: 60_000, meaning: 'a thread that reads without handing anything on' },
} as const;

type WorkbookLimits = { readonly [Name in keyof typeof workbookLimitTable]: number };

export const workbookLimits = Object.fromEntries(
  Object.entries(workbookLimitTable).map(([name, { value }]) => [name, value]),
  // Every name of the table has a number.
) as WorkbookLimits;
