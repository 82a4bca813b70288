import { StoreUnavailableError } from '../store-unavailable-error.ts';
import type { Deadlines } from './deadlines.ts';

/**
 * The time limit of a transaction: the deadline of its earliest request.
 *
 *     open ──the commit is sent──▶ committing ──too late──▶ callers are told; the outcome is unknown
 *     open ──too late──▶ over: callers are told, and only the rollback is sent
 *
 * A caller that is told before the commit can rely on it that nothing was committed.
 */
export type GroupDeadline = {
  /** Milliseconds until the commit must be sent; infinite if no request waits. */
  leftMs: () => number;
  /** Whether only the rollback may still be sent. */
  isOver: () => boolean;
  noteCommit: () => void;
  end: () => void;
};

type GroupDeadlineParts = {
  deadlines: Deadlines;
  limits: { commitMs: number };
  /** Called once when the time is over, with the error for the waiting callers. */
  onLate: (error: StoreUnavailableError) => void;
};

export function createGroupDeadline(
  until: number,
  { deadlines, limits: { commitMs }, onLate }: GroupDeadlineParts,
): GroupDeadline {
  let over = false;
  let forget =
    until === Infinity
      ? () => undefined
      : deadlines.add(until - commitMs, () => {
          over = true;
          onLate(tooLate());
        });
  return {
    leftMs: () => until - commitMs - performance.now(),
    isOver: () => over,
    noteCommit: () => {
      if (until === Infinity) return;
      forget();
      forget = deadlines.add(until, () => onLate(new StoreUnavailableError('unconfirmed')));
    },
    end: () => forget(),
  };
}

export function tooLate(): StoreUnavailableError {
  return new StoreUnavailableError('slow');
}
