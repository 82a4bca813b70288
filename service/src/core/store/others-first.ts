import { setImmediate } from 'node:timers/promises';

/**
 * Between two slices of long reading. SQLite answers at once, so without it nobody else would be served until the last
 * slice is read.
 */
export const othersFirst = (): Promise<void> => setImmediate();
