/** The service cannot start. The message tells the operator in one line what is wrong and what to do. */
export class StartError extends Error {
  constructor(message: string, cause?: unknown) {
    super(message, { cause });
    this.name = 'StartError';
  }
}
