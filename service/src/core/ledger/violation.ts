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
