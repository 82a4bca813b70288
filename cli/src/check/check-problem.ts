import type { ExitCode } from '../exit-codes.ts';

/** What stops a check for a reason outside of it. The message is the one line that is told. */
export class CheckProblem extends Error {
  readonly exitCode: ExitCode;

  constructor(exitCode: ExitCode, message: string) {
    super(message);
    this.exitCode = exitCode;
  }
}
