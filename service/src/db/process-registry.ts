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
  /** What a dead process held has been given back: it need not be found again. */
  remove: (processId: string) => Promise<void>;
  /** To be called when this process holds nothing any more. */
  leave: () => Promise<void>;
};
