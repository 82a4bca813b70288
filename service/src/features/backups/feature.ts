import type { Feature } from '../../core/feature.ts';

/** Brings commands only: back up, restore, copy. */
export const backupsFeature: Feature<unknown> = { name: 'backups' };
