/** The work of a process in the installation. */
export type ProcessRole = 'all' | 'api' | 'worker' | 'prober';

/** The processes that work on a store, as seen by one of them: which are alive, and which have died. */
export type ProcessRegistry = {
  /** The id with which this process signs its reservations and leases. */
  ownId: string;
  /** Finds processes that died without leaving. */
  findDead: () => Promise<string[]>;
  /** Finds all living processes, including this one. */
  findLiving: () => Promise<{ id: string; role: ProcessRole }[]>;
  /**
   * Removes a dead process after everything it held was given back. Returns its role, or `undefined` if another
   * process removed it first.
   */
  remove: (processId: string) => Promise<ProcessRole | undefined>;
  /** Deregisters this process. Call it when the process holds nothing any more. */
  leave: () => Promise<void>;
};
