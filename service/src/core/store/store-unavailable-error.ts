/**
 * The store fails us at run time. This is no defect: the disk is full, the file is gone, another process
 * holds the lock, the database is down. Every other error that comes out of a query is ours.
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
  unconfirmed: 'it did not confirm a commit in time, which may have happened all the same',
  conflict: 'others kept changing the same at the same time',
};

export const storeFaults = Object.keys(reasons) as StoreFault[];

/** Says in a clause what is wrong. */
export function describeStoreFault(fault: StoreFault): string {
  return reasons[fault];
}

/** The store does not answer at the moment; nothing of what was asked can be relied on to have happened. */
export class StoreUnavailableError extends Error {
  readonly fault: StoreFault;

  /** `detail` says more than the fault does, for the operator: which table is locked. */
  constructor(fault: StoreFault, cause?: unknown, detail: string = reasons[fault]) {
    super(`the store is unavailable: ${detail}`, { cause });
    this.name = 'StoreUnavailableError';
    this.fault = fault;
  }
}
