import { StoreUnavailableError } from '../store-unavailable-error.ts';
import type { Deadlines } from './deadlines.ts';

/**
 * How long a transaction may take: as long as the request in it that came first will wait.
 *
 *     open ──the commit is sent──▶ committing ──too late──▶ told, and nobody knows how it ends
 *     open ──too late──▶ over: told, and nothing but the rollback is sent any more
 *
 * So whoever was told before the commit can rely on it that nothing was committed.
 */
export type GroupDeadline = {
  /** Until the commit has to be sent; infinite where no request waits. */
  leftMs: () => number;
  /** Whether nothing but the rollback may be sent any more. */
  isOver: () => boolean;
  noteCommit: () => void;
  end: () => void;
};

type GroupDeadlineParts = {
  deadlines: Deadlines;
  limits: { commitMs: number };
  /** Called once, when it is too late, with what those who wait are told. */
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
