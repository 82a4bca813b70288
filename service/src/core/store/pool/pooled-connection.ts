import type { Connection } from '../connection.ts';

/** A connection to a database server, as a pool and the circuit see it. */
export type PooledConnection = Connection & {
  /** Whether it may still be used. */
  isAlive(): boolean;
  /** How long the oldest statement without an answer has been waiting; 0 where none is. */
  waitingMs(): number;
  unanswered(): number;
  /** Called once, when the connection is lost or closed. */
  onEnd(callback: () => void): void;
  /** Hangs up without a word. What is unanswered fails at once. */
  cut(): void;
};
