import { join } from 'node:path';
import type { ChildModule } from '../processes/child.ts';

export type LoadOrder = {
  port: number;
  connections: number;
  forMs: number;
  /** The request as it goes on the wire; where it has marks (`wire-request.ts`), every request has a number of its own. */
  request: string;
  /** The number of the first request. */
  from: number;
  expectedStatus: number;
  /** What is answered in this time at the beginning does not count. */
  settleMs?: number;
};

export type LoadReport = {
  /** Requests answered as expected within the time. */
  completed: number;
  /** Those answered otherwise, by status. */
  otherwise: Record<string, number>;
  forMs: number;
  latenciesMs: number[];
  /** The number after that of the last request. */
  next: number;
};

export const loadModule: ChildModule<LoadOrder, LoadReport> = {
  path: join(import.meta.dirname, 'load-process.ts'),
};
