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
