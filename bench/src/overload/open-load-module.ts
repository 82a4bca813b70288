import { join } from 'node:path';
import type { ChildModule } from '../processes/child.ts';

export type OpenLoadOrder = {
  port: number;
  path: string;
  /** Requests are dealt out to these in turn. */
  keys: string[];
  domains: string[];
  perSecond: number;
  forMs: number;
  mostConnections: number;
  /** The number of the first request. */
  from: number;
};

export type OpenLoadReport = {
  /** `atMs` is when the answer came, from the beginning. */
  answered: { status: number; ms: number; atMs: number }[];
  /** Not sent, since every connection that may be open was taken. */
  unsent: number;
  /** Connections that ended before their answer. */
  broken: number;
  /** Refusals (503) that do not say when to come again. */
  withoutRetryAfter: number;
  /** How far behind its schedule the generator itself was, at each look. */
  lateMs: number[];
};

export const openLoadModule: ChildModule<OpenLoadOrder, OpenLoadReport> = {
  path: join(import.meta.dirname, 'open-load-process.ts'),
};
