import type { Reader } from '../store/statement.ts';

/** A broken promise of the books or tasks. Names no address. */
export type Violation = {
  /** I1 to I13, as docs/ledger.md numbers them. */
  invariant: string;
  accountId: string;
  taskId?: string;
  /** The number of the first ledger entry concerned, if it is known. */
  entry?: number;
  detail: string;
};

/** Audits the rows of one account that a feature keeps: all of them, or those that changed since a time. */
export type AuditAccount = (
  reader: Reader,
  accountId: string,
  only?: { changedSince: number },
) => Promise<Violation[]>;
