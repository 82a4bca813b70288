/** A promise of the books or tasks that does not hold. Names no address. */
export type Violation = {
  /** I1 to I13, as docs/ledger.md numbers them. */
  invariant: string;
  accountId: string;
  taskId?: string;
  detail: string;
};
