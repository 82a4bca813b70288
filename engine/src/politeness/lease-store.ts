/**
 * Where several processes agree which of them may talk to a group or a network of mail hosts. The process that holds
 * the lease has the whole limit and the others have none, so together they never do more than one may.
 *
 * The store is where all of them can reach it (the database), and it answers correctly however many ask at once.
 */
export type LeaseStore = {
  /**
   * Gives back first, then takes and prolongs. Answers with the leases that are ours now. The holder of any other is
   * told that it is wanted, and cannot prolong it.
   */
  exchange(exchange: LeaseExchange): Promise<HeldLease[]>;
  /**
   * Whether one process may hold the lease of all hosts, which spares it asking while it is alone. Only where the
   * death of a process is known at once, because nobody else may talk to any host until then.
   */
  lendsAllHosts: boolean;
  /** Calls back when a lease was given back or is wanted. May be late, and may miss some. */
  listen(onChange: () => void): void;
};

export type LeaseExchange = {
  /** Given where it is free, and where it is ours already. */
  take: string[];
  /** Ours, and used: given again unless somebody else waits. */
  prolong: string[];
  giveBack: ReturnedLease[];
};

/** `grant` says which lease it was: one given back again after a lost answer must not replace a later one. */
export type ReturnedLease = { key: string; grant: number; state: unknown };

export type HeldLease = {
  key: string;
  /** The same for as long as the lease is ours, and a new one each time it becomes ours. */
  grant: number;
  /** What the last holder left; `undefined` where nobody talked there within the last minute. */
  state: unknown;
  agoMs: number;
};

/** The key of the lease of all hosts. */
export const allHosts = '*';

/** How long after it was asked for a lease lets conversations begin. */
export const leaseMs = 3_000;

/**
 * A lease that is not given back is free after this long. By then every conversation begun under it has ended, and
 * none of them counts among the connections of the last minute any more.
 */
export const leaseKeptMs = leaseMs + 60_000;
