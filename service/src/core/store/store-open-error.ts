/** The store cannot be opened. `line` tells the operator what is wrong and what to do, in one line. */
export class StoreOpenError extends Error {
  readonly line: string;

  constructor(line: string, cause?: unknown) {
    super(line, { cause });
    this.name = 'StoreOpenError';
    this.line = line;
  }
}
