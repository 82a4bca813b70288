import { join } from 'node:path';
import type { ChildModule } from '../processes/child.ts';
import type { LoopDelay } from './watch-loop.ts';

/** A process that does nothing while another is measured: what delays its loop is the machine. */
export type IdleQuestion = { kind: 'begin' } | { kind: 'end' };

export const idleModule: ChildModule<IdleQuestion, LoopDelay | undefined> = {
  path: join(import.meta.dirname, 'idle-process.ts'),
};
