import type { AuditAccount } from './ledger/violation.ts';
import type { Listener } from './store/statement.ts';
import type { Chores } from './upkeep/sweep.ts';

/** Names of the features, as `MAILPROOF_FEATURES` and the console know them. */
export const featureNames = [
  'account',
  'lists',
  'webhooks',
  'forms',
  'people',
  'agents',
  'probers',
  'operator',
  'metrics',
  'backups',
  'about',
  'console',
] as const;

export type FeatureName = (typeof featureNames)[number];

/** A feature's share in the store: it hears what happens, tends its rows, and audits them. */
export type StoreShare = Chores & {
  listener?: Listener;
  audit?: AuditAccount;
};
