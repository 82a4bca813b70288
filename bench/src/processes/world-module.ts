import { join } from 'node:path';
import type { WorldDescription, WorldOptions } from '@mailproof/world';
import type { Population } from '../engine/population.ts';
import type { ChildModule } from './child.ts';

/** The other side of the wire, in a process of its own. */
export type WorldQuestion =
  | { kind: 'start'; description: WorldDescription; options: WorldOptions }
  /** The description is made over there: a hundred thousand mailboxes need not travel. */
  | { kind: 'populate'; population: Population }
  | { kind: 'counts' };

export type WorldAnswer = {
  dnsServer: string;
  smtpPort: number;
  environment: Record<string, string>;
  /** What it has seen since it was asked last. */
  seen: { dnsQueries: number; connections: number; roundTrips: number; mostOpen: number; violations: number };
};

export const worldModule: ChildModule<WorldQuestion, WorldAnswer> = {
  path: join(import.meta.dirname, 'world-process.ts'),
};
