import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { ChildModule } from '../processes/child.ts';
import type { Population } from './population.ts';
import type { LoopDelay } from './watch-loop.ts';

const root = join(import.meta.dirname, '..', '..', '..');

type WorldAt = { dnsServer: string; smtpPort: number };

export type PrepareQuestion = {
  kind: 'prepare';
  variant: 'ours' | 'plain';
  world: WorldAt;
  openConversations: number;
  starttls: 'demanded' | 'always';
  /** Addresses verified before anything is measured, so that code is compiled; without it as many as that takes. */
  warmUps?: number;
};

export type VerifyQuestion = {
  kind: 'verify';
  population: Population;
  /** Addresses under way at once, those that wait for a conversation included. */
  inFlight: number;
  /** So many begin in a second at first; without it all of `inFlight` begin at once. */
  beginPerSecond?: number;
};

export type EngineQuestion =
  | PrepareQuestion
  | VerifyQuestion
  | { kind: 'connect'; world: WorldAt; connections: number; inFlight: number; hosts: number };

export type Measured = LoopDelay & {
  addresses: number;
  ms: number;
  /** User and system time of the process. */
  cpuMs: number;
  /** Resident memory before the first address: the runtime, the code, the lists. */
  rssBeforeMb: number;
  rssPeakMb: number;
  /** Of that, what the heap held then. */
  heapAtPeakMb: number;
  /** What is still held after the last address, garbage collected. */
  heapGrowthMb: number;
  /** Verdicts that were not what they should be. */
  wrong: Record<string, number>;
  dnsQueries: number;
  conversations: number;
};

/** The launcher's own flags for the heap, and compiled code kept between runs. */
export const asTheServiceRuns = {
  execArgv: ['--expose-gc', ...launcherHeapFlags()],
  env: { NODE_COMPILE_CACHE: join(root, '.cache', 'compiled') },
};

export const engineModule: ChildModule<EngineQuestion, Measured | undefined> = {
  path: join(import.meta.dirname, 'engine-process.ts'),
  ...asTheServiceRuns,
};

/** Read from the launcher, so that nothing is measured that nobody runs. */
function launcherHeapFlags(): string[] {
  const launcher = readFileSync(join(root, 'mailproof'), 'utf8');
  const [, heap = ''] = /^heap='([^']+)'$/m.exec(launcher) ?? [];
  const flags = heap.match(/--max-(?:semi|old)-space-size=\d+/g) ?? [];
  if (flags.length !== 2) throw new Error('the launcher no longer bounds the heap');
  return flags;
}
