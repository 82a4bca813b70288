/** The bytes of a list as they were uploaded, readable as often as needed and never held whole. */
export type ListFile = {
  size: number;
  /** All bytes in order, in pieces of any size. */
  pieces: () => AsyncIterable<Uint8Array>;
  /** The bytes from `start` up to but not including `end`. */
  slice: (start: number, end: number) => Promise<Uint8Array>;
};

/** The first bytes, fewer where the file is shorter. */
export function beginningOf(file: ListFile, bytes: number): Promise<Uint8Array> {
  return file.slice(0, Math.min(bytes, file.size));
}
