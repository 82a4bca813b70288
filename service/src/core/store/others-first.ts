import { setImmediate } from 'node:timers/promises';

/**
 * Lets other requests run between two slices of a long read. SQLite answers at once, so without this pause they
 * would wait for the last slice.
 */
export const othersFirst = (): Promise<void> => setImmediate();
