import { join } from 'node:path';
import type { ChildModule } from '../processes/child.ts';

/** What an attacker does, with how many connections. */
export type Attack =
  /** Headers of `POST /session`, and never the body that they announce. */
  | { kind: 'no_body'; connections: number }
  /** The body of a single verification, a byte a second. */
  | { kind: 'slow_body'; connections: number; key: string }
  /** Single verifications as anybody asks for them, at a host that takes its time, one after the other. */
  | { kind: 'slow_singles'; connections: number; key: string; domain: string }
  | { kind: 'idle'; connections: number }
  /** Single verifications in the sandbox, which costs nothing, each as soon as the one before is answered. */
  | { kind: 'test_singles'; connections: number; key: string }
  /** Keys that there are not, so many a second in all. */
  | { kind: 'guesses'; connections: number; perSecond: number };

/** What is answered counts when the attack has been under way for `leadMs`. */
export type AttackOrder = { attack: Attack; port: number; leadMs: number; forMs: number };

/** Connections that were opened, the most at once, the answers by status, and how many of those there were a second. */
export type AttackReport = {
  opened: number;
  mostAtOnce: number;
  answers: Record<string, number>;
  answersPerSecond: number;
};

export const attackModule: ChildModule<AttackOrder, AttackReport> = {
  path: join(import.meta.dirname, 'attack-process.ts'),
};
