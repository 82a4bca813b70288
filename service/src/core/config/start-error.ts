/** The service cannot start. The message tells the operator the cause and the remedy in one line. */
export class StartError extends Error {
  constructor(message: string, cause?: unknown) {
    super(message, { cause });
    this.name = 'StartError';
  }
}
