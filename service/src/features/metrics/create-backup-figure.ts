import type { Clock } from '@mailproof/engine';
import { findLastBackup } from '../operator/audit-log/find-last-backup.ts';
import type { Store } from '../../core/store/store.ts';
import { StoreUnavailableError } from '../../core/store/store-unavailable-error.ts';
import type { MetricSample } from './create-metrics.ts';

type BackupFigureParts = { store: Pick<Store, 'read'>; clock: Clock };

/** Backups are hours apart, so the time of the last one is read once a minute. */
const rememberMs = 60_000;

/** A scrape must not wait for a database that does not answer. */
const longestWaitMs = 3_000;

/** When the last backup was taken. While the database does not answer, the figure is missing. */
export function createBackupFigure({ store, clock }: BackupFigureParts): () => Promise<MetricSample[]> {
  let known: { takenAt: number; until: number } | undefined;

  async function read(): Promise<MetricSample[]> {
    try {
      if (known === undefined || clock.now() >= known.until)
        known = { takenAt: await findLastBackup(store.read), until: clock.now() + rememberMs };
      return [{ key: 'lastBackup', labels: {}, value: known.takenAt / 1_000 }];
    } catch (error) {
      if (!(error instanceof StoreUnavailableError)) throw error;
      return [];
    }
  }

  return () =>
    new Promise((resolve, reject) => {
      const cancel = clock.after(longestWaitMs, () => resolve([]));
      read().then(resolve, reject).finally(cancel);
    });
}
