/**
 * Where several processes agree whose turn it is to talk to a group or a network. One has the whole limit while it has
 * the turn, and nobody else has any; so what all of them do together is what one may do.
 *
 * The book is kept where all can reach it (the database), and is right whoever asks at the same time.
 */
export type TurnBook = {
  /**
   * Gives back first, then takes and prolongs. Answers with those that are ours now. Who has one of the others learns
   * that it is wanted, and its turn is not prolonged.
   */
  exchange(exchange: TurnExchange): Promise<HeldTurn[]>;
  /**
   * Whether one process may have the turn of everything, which spares it asking while it is alone. Only where the
   * death of a process is known at once, for nobody else may talk to anyone until then.
   */
  lendsEverything: boolean;
  /** Calls back when something was given back or is wanted. May be late, and may miss some. */
  listen(onChange: () => void): void;
};

export type TurnExchange = {
  /** Given where it is free, and where it is ours already. */
  take: string[];
  /** Ours, and used: given again unless somebody else waits. */
  prolong: string[];
  giveBack: ReturnedTurn[];
};

/** `grant` says which one it is: given back again after a lost answer, it does not take the place of a later one. */
export type ReturnedTurn = { key: string; grant: number; state: unknown };

export type HeldTurn = {
  key: string;
  /** The same for as long as it is ours, and another each time that it has become ours. */
  grant: number;
  /** What the one before left; `undefined` where nobody talked there within the last minute. */
  state: unknown;
  agoMs: number;
};

/** The key under which everything is held. */
export const everything = '*';

/** For so long after it was asked for a turn allows conversations to begin. */
export const turnMs = 3_000;

/**
 * A turn that is not given back is free after so long: by then what was begun under it has ended, and what was begun is no
 * longer among the connections of the last minute.
 */
export const turnKeptMs = turnMs + 60_000;
