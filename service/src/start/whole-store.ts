import { auditStore, auditStoreAccount, type AuditParts } from '../core/upkeep/audit.ts';
import { createSweep, type SweepParts } from '../core/upkeep/sweep.ts';
import { createWatchBooks } from '../core/upkeep/watch-books.ts';
import { features } from './features.ts';

/**
 * The store with all that features keep in it. Every process looks after all of it, also after the rows of a feature
 * that its settings leave out: other processes may have that feature, and addresses have to be erased in time.
 */
const inStore = features.flatMap(({ store }) => store ?? []);

export const listeners = inStore.flatMap(({ listener }) => listener ?? []);
const audits = inStore.flatMap(({ audit: auditMore }) => auditMore ?? []);

type Whole<Parts> = Omit<Parts, 'audits' | 'chores'>;

export const withChores = (parts: Whole<SweepParts>): SweepParts => ({ ...parts, chores: inStore });

/** Audits every account, or those that were touched since a moment. */
export const audit = (parts: Whole<AuditParts>, only?: { since: number }) =>
  auditStore({ ...parts, audits }, only);

export const auditAccount = (accountId: string, parts: Whole<AuditParts>) =>
  auditStoreAccount(accountId, { ...parts, audits });

export const watchAllBooks = (parts: Whole<Parameters<typeof createWatchBooks>[0]>) =>
  createWatchBooks({ ...parts, audits });

export const createWholeSweep = (parts: Whole<SweepParts>) => createSweep(withChores(parts));
