import type { Reader } from '../store/statement.ts';

/** A promise of the books or tasks that does not hold. Names no address. */
export type Violation = {
  /** I1 to I13, as docs/ledger.md numbers them. */
  invariant: string;
  accountId: string;
  taskId?: string;
  /** The number of the ledger entry that it begins with, where one can be named. */
  entry?: number;
  detail: string;
};

/** Audits the rows of one account that a feature keeps: all of them, or those that changed since a time. */
export type AuditAccount = (
  reader: Reader,
  accountId: string,
  only?: { changedSince: number },
) => Promise<Violation[]>;
