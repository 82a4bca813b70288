/**
 * Reasons why the store can fail at run time. They are no defects: the disk is full, the file is gone, another
 * process holds the lock, the database is down. Every other error of a query is a defect of ours.
 */
export type StoreFault =
  | 'busy'
  | 'full'
  | 'not_writable'
  | 'corrupt'
  | 'failing'
  | 'closed'
  | 'overloaded'
  | 'unreachable'
  | 'slow'
  | 'unconfirmed'
  | 'conflict';

const reasons: Record<StoreFault, string> = {
  busy: 'another process holds its lock',
  full: 'the disk is full',
  not_writable: 'its files cannot be opened or written',
  corrupt: 'its file is damaged',
  failing: 'reading or writing its files fails',
  closed: 'it is closed',
  overloaded: 'too many operations are waiting',
  unreachable: 'the database cannot be reached',
  slow: 'a statement took too long',
  unconfirmed: 'a commit was not confirmed in time, but may have happened',
  conflict: 'concurrent transactions kept changing the same rows',
};

export const storeFaults = Object.keys(reasons) as StoreFault[];

/** Describes the fault in a clause. */
export function describeStoreFault(fault: StoreFault): string {
  return reasons[fault];
}

/** The store does not answer at the moment. Callers cannot know whether their change was made. */
export class StoreUnavailableError extends Error {
  readonly fault: StoreFault;

  /** `detail` tells the operator more than the fault does, such as the table that is locked. */
  constructor(fault: StoreFault, cause?: unknown, detail: string = reasons[fault]) {
    super(`the store is unavailable: ${detail}`, { cause });
    this.name = 'StoreUnavailableError';
    this.fault = fault;
  }
}
