import type { ErrorReason } from './error-body.ts';

/**
 * Why a call came to nothing: a reason of the contract, or one of three that never reached it. The service
 * was not reached (`network_error`), did not answer in time (`no_answer_in_time`), or something that is
 * not the service answered in its place, such as a proxy (`unexpected_answer`).
 */
export type FailureReason = ErrorReason | 'network_error' | 'no_answer_in_time' | 'unexpected_answer';

type Circumstances = {
  status?: number | undefined;
  requestId?: string | undefined;
  detail?: string | undefined;
  cause?: unknown;
};

/** The one error that a client throws, apart from the caller's own abort. It never holds the API key. */
export class MailproofError extends Error {
  override readonly name = 'MailproofError';
  readonly reason: FailureReason;
  /** The HTTP status; absent where there was no answer. */
  readonly status: number | undefined;
  /** What to name to the operator of the service. */
  readonly requestId: string | undefined;
  /** Of a file that is no list: what was seen in it and what to do, for the person who brought it. */
  readonly detail: string | undefined;

  constructor(reason: FailureReason, { status, requestId, detail, cause }: Circumstances = {}) {
    const told = status === undefined ? reason : `${reason} (HTTP ${status})`;
    super(told, cause === undefined ? undefined : { cause });
    this.reason = reason;
    this.status = status;
    this.requestId = requestId;
    this.detail = detail;
  }
}
