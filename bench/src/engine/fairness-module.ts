import { join } from 'node:path';
import type { ChildModule } from '../processes/child.ts';
import { asTheServiceRuns } from './engine-module.ts';

/** Asks an engine for one account's addresses, alone and beside another's at a tarpit, in turns. */
export type FairnessQuestion = {
  world: { dnsServer: string; smtpPort: number };
  rounds: number;
  /** Addresses of the quick account in each half of a round, four at a time. */
  addresses: number;
  tarpitAddresses: number;
};

/** Milliseconds of each verification of the quick account. */
export type FairnessTimes = { idle: number[]; beside: number[]; wrong: number };

export const fairnessModule: ChildModule<FairnessQuestion, FairnessTimes> = {
  path: join(import.meta.dirname, 'fairness-process.ts'),
  ...asTheServiceRuns,
};

export const tarpitDomain = 'tarpit.test';

/** Every address of the quick account is at a domain and a mail host of its own: nothing is known, nothing shared. */
export const briskDomain = (index: number): string => `brisk${index}.test`;
