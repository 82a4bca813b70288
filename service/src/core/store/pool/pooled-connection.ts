import type { Connection } from '../connection.ts';

/** A connection to a database server, with the parts that pools and the circuit need. */
export type PooledConnection = Connection & {
  /** Whether the connection can still be used. */
  isAlive(): boolean;
  /** How long the oldest unanswered statement has been waiting; 0 if there is none. */
  waitingMs(): number;
  unanswered(): number;
  /** Called once, when the connection is lost or closed. */
  onEnd(callback: () => void): void;
  /** Closes the connection at once, without a goodbye. Unanswered statements fail. */
  cut(): void;
};
