import type { Logger } from 'pino';
import { repeat } from '../repeat.ts';
import { createSweep, type SweepParts } from '../upkeep/sweep.ts';
import { auditEveryMs, createWatchBooks } from '../upkeep/watch-books.ts';

/** How often dead processes, deadlines and expiries are looked for. */
const sweepEveryMs = 1_000;

type UpkeepParts = SweepParts & RepeatedParts & { logger: Logger };
type RepeatedParts = Omit<Parameters<typeof repeat>[1], 'everyMs'>;

/** Runs once before anything is served, so that what a crash left is repaired first, and then at intervals. */
export async function startUpkeep(parts: UpkeepParts): Promise<{ stop(): Promise<void> }> {
  const { store, wallClock, logger } = parts;
  const sweep = createSweep(parts);
  const watchBooks = createWatchBooks({
    store,
    wallClock,
    onViolation: (violation) =>
      logger.error({ violation }, 'the ledger of an account does not balance; the account is frozen'),
  });
  await sweep();
  await watchBooks();
  const sweeping = repeat(sweep, { ...parts, everyMs: sweepEveryMs });
  const auditing = repeat(watchBooks, { ...parts, everyMs: auditEveryMs });
  return {
    stop: async () => {
      await Promise.all([sweeping.stop(), auditing.stop()]);
    },
  };
}
