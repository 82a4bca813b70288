import { join } from 'node:path';
import type { ChildModule } from '../processes/child.ts';

export type BareRoute = { method: 'GET' | 'POST'; path: string; status: number; answer: unknown };

export type BareAnswer = { port: number };

export const bareModule: ChildModule<BareRoute[], BareAnswer> = {
  path: join(import.meta.dirname, 'bare-process.ts'),
};
