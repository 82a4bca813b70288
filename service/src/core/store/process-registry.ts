/** What a process does for the installation. */
export type ProcessRole = 'all' | 'api' | 'worker' | 'prober';

/** The processes that work on a store, as one of them sees them: which live, and which have died. */
export type ProcessRegistry = {
  /** What this process signs its reservations and leases with. */
  ownId: string;
  /** Those that died without leaving. */
  findDead: () => Promise<string[]>;
  /** All that live, this one too. */
  findLiving: () => Promise<{ id: string; role: ProcessRole }[]>;
  /**
   * Forgets a dead process after all it held was given back. Answers with its role, or with nothing if another process
   * was first.
   */
  remove: (processId: string) => Promise<ProcessRole | undefined>;
  /** To be called when this process holds nothing any more. */
  leave: () => Promise<void>;
};
