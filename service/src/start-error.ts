/** The service cannot start. `line` tells the operator what is wrong and what to do, in one line. */
export class StartError extends Error {
  readonly line: string;

  constructor(line: string, cause?: unknown) {
    super(line, { cause });
    this.name = 'StartError';
    this.line = line;
  }
}
