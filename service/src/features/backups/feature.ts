import type { Feature } from '../../core/feature.ts';

/** Its commands alone: back up, restore, copy. */
export const backupsFeature: Feature<unknown> = { name: 'backups' };
