/** What a workbook may unpack to. A file within these is read in bounded memory; one beyond them is refused. */
export const workbookLimits = {
  entries: 10_000,
  /** Of one part of the workbook, unpacked. */
  partBytes: 1_073_741_824,
  /** Unpacked bytes for each packed one, once a part is larger than `ratioFromBytes`: a zip bomb has thousands. */
  ratio: 250,
  ratioFromBytes: 16_777_216,
  sharedStrings: 4_000_000,
  sharedCharacters: 67_108_864,
  sheets: 100,
  columns: 1_000,
  cellCharacters: 32_767,
  /** Rows of each sheet that are looked at to find the one with addresses. */
  rowsLookedAt: 200,
} as const;
