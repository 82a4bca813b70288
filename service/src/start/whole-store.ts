import { auditStore, auditStoreAccount, type AuditParts } from '../core/upkeep/audit.ts';
import { createSweep, type SweepParts } from '../core/upkeep/sweep.ts';
import { createWatchBooks } from '../core/upkeep/watch-books.ts';
import { features } from './features.ts';

/**
 * Every feature's share of the store. Each process tends all of them, even for features that its settings leave out.
 * Other processes may have that feature, and addresses must be erased in time.
 */
const inStore = features.flatMap(({ store }) => store ?? []);

export const listeners = inStore.flatMap(({ listener }) => listener ?? []);
const audits = inStore.flatMap(({ audit: auditMore }) => auditMore ?? []);

type Whole<Parts> = Omit<Parts, 'audits' | 'chores'>;

export const withChores = (parts: Whole<SweepParts>): SweepParts => ({ ...parts, chores: inStore });

/** Audits every account, or the accounts touched since a time. */
export const audit = (parts: Whole<AuditParts>, only?: { since: number }) =>
  auditStore({ ...parts, audits }, only);

export const auditAccount = (accountId: string, parts: Whole<AuditParts>) =>
  auditStoreAccount(accountId, { ...parts, audits });

export const watchAllBooks = (parts: Whole<Parameters<typeof createWatchBooks>[0]>) =>
  createWatchBooks({ ...parts, audits });

export const createWholeSweep = (parts: Whole<SweepParts>) => createSweep(withChores(parts));
