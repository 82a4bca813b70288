import type { FeatureName, StoreShare } from '../core/feature.ts';
import { auditStore, auditStoreAccount, type AuditParts } from '../core/upkeep/audit.ts';
import { createSweep, type SweepParts } from '../core/upkeep/sweep.ts';
import { createWatchBooks } from '../core/upkeep/watch-books.ts';
import { copyBetweenStores } from '../features/backups/copy-store.ts';
import { restoreBackup, verifyBackupFile } from '../features/backups/restore.ts';
import { listsInStore } from '../features/lists/tend-store.ts';
import { peopleInStore } from '../features/people/sessions/tend-store.ts';
import { probersInStore } from '../features/probers/tend-store.ts';
import { webhooksInStore } from '../features/webhooks/tend-store.ts';

/**
 * The store with all that features keep in it. Every process looks after all of it, also after the rows of a feature
 * that its settings leave out: other processes may have that feature, and addresses have to be erased in time.
 */
const shares: Partial<Record<FeatureName, StoreShare>> = {
  lists: listsInStore,
  probers: probersInStore,
  webhooks: webhooksInStore,
  people: peopleInStore,
};

const inStore: StoreShare[] = Object.values(shares);

export const listeners = inStore.flatMap(({ listener }) => listener ?? []);
const audits = inStore.flatMap(({ audit: auditMore }) => auditMore ?? []);

type Whole<Parts> = Omit<Parts, 'audit' | 'audits' | 'chores'>;

export const withChores = (parts: Whole<SweepParts>): SweepParts => ({ ...parts, chores: inStore });

/** Audits every account, or those that were touched since a moment. */
export const audit = (parts: Whole<AuditParts>, only?: { since: number }) =>
  auditStore({ ...parts, audits }, only);

export const auditAccount = (accountId: string, parts: Whole<AuditParts>) =>
  auditStoreAccount(accountId, { ...parts, audits });

export const watchAllBooks = (parts: Whole<Parameters<typeof createWatchBooks>[0]>) =>
  createWatchBooks({ ...parts, audits });

export const createWholeSweep = (parts: Whole<SweepParts>) => createSweep(withChores(parts));

export const copyStore = (parts: Whole<Parameters<typeof copyBetweenStores>[0]>) =>
  copyBetweenStores({ ...parts, audit });

type RestorePlace = Whole<Parameters<typeof restoreBackup>[1]>;

export const restore = (file: string, place: RestorePlace) => restoreBackup(file, { ...place, audit });

export const verifyBackup = (file: string, place: Pick<RestorePlace, 'databaseUrl'>) =>
  verifyBackupFile(file, { ...place, audit });
