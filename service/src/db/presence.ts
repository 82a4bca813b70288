/** What a process does for the installation. */
export type ProcessRole = 'all' | 'api' | 'worker';

/** Tells which of the processes that worked on a store have died. */
export type Presence = {
  /** What this process signs its reservations and leases with. */
  id: string;
  /** Those that died without saying goodbye. */
  findDead: () => Promise<string[]>;
  /** All that live, this one too. */
  living: () => Promise<{ id: string; role: ProcessRole }[]>;
  /** What a dead process held has been given back: it need not be found again. */
  bury: (processId: string) => Promise<void>;
  /** To be called when nothing is held any more. */
  leave: () => Promise<void>;
};
