import { copyBetweenStores } from '../features/backups/copy-store.ts';
import { restoreBackup, verifyBackupFile } from '../features/backups/restore.ts';
import { audit } from './whole-store.ts';

/** Backups, with an audit of all that features keep. */
type Whole<Parts> = Omit<Parts, 'audit'>;

export const copyStore = (parts: Whole<Parameters<typeof copyBetweenStores>[0]>) =>
  copyBetweenStores({ ...parts, audit });

type RestorePlace = Whole<Parameters<typeof restoreBackup>[1]>;

export const restore = (file: string, place: RestorePlace) => restoreBackup(file, { ...place, audit });

export const verifyBackup = (file: string, place: Pick<RestorePlace, 'databaseUrl'>) =>
  verifyBackupFile(file, { ...place, audit });
