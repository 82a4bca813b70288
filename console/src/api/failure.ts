import { MailproofError } from '@mailproof/client';

/** Why a call came to nothing, whoever made it: a reason of the service, or of the way to it. */
export type Failure = {
  reason: string;
  status: number | undefined;
  requestId: string | undefined;
  /** What the service says beside the reason, for the person who brought a file that is no list. */
  detail?: string | undefined;
  /** Seconds after which the service may be asked again, where it said so. */
  retryAfterSeconds?: number | undefined;
};

/** What the calls of the console throw where no answer came, or one that is no success. */
export class CallFailed extends Error {
  readonly failure: Failure;

  constructor(failure: Failure, cause?: unknown) {
    super(failure.reason, { cause });
    this.failure = failure;
  }
}

/** A failure as a value; a defect of ours is no failure and is thrown on. */
export function failureOf(error: unknown): Failure {
  if (error instanceof CallFailed) return error.failure;
  if (error instanceof MailproofError) {
    const { reason, status, requestId, detail } = error;
    return { reason, status, requestId, detail };
  }
  throw error;
}
