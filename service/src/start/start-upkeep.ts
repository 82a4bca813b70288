import type { Logger } from 'pino';
import type { ProcessRole } from '../core/store/process-registry.ts';
import type { Store } from '../core/store/store.ts';
import { repeat } from '../core/process/repeat.ts';
import { createSweep, releaseTheDead, type SweepParts } from '../core/upkeep/sweep.ts';
import { watchAllBooks, withChores } from './whole-store.ts';
import { auditEveryMs, type WatchBooks } from '../core/upkeep/watch-books.ts';

/** How often dead processes, deadlines and expiries are looked for. */
const sweepEveryMs = 1_000;

type UpkeepParts = Omit<SweepParts, 'chores'> & RepeatedParts & { logger: Logger };
type RepeatedParts = Omit<Parameters<typeof repeat>[1], 'everyMs' | 'atOnce'>;

export type Upkeep = {
  /** What has not been looked at yet since the start, a line each; requests are served meanwhile. */
  checking: () => string[];
  /** What was found that keeps requests from being served, a line each. */
  problems: () => string[];
  stop: () => Promise<void>;
};

/**
 * Looks after the store, at once and then at intervals. Only what a crash left is given back before anything is served:
 * the rest takes as long as there is much to look at, so it goes on beside.
 */
export async function startUpkeep(given: UpkeepParts): Promise<Upkeep> {
  const { store, wallClock, logger } = given;
  const onDeath = (role: ProcessRole) =>
    logger.warn(
      { dead: role },
      `A process (serve --role ${role}) ended without stopping, killed or crashed. What it held was given back.`,
    );
  const parts = { ...given, ...withChores({ ...given, onDeath }) };
  const stop = new AbortController();
  const watchBooks = watchAllBooks({
    store,
    wallClock,
    onViolation: (violation) =>
      logger.error({ violation }, 'the ledger of an account does not balance; the account is frozen'),
  });
  await releaseTheDead(parts);
  // Apart from the sweep, which may take long: clients repeat requests of a dead process, and wait for this.
  const releasing = repeat(() => releaseTheDead(parts), { ...parts, everyMs: sweepEveryMs });
  const sweeping = repeat(createSweep(parts), { ...parts, everyMs: sweepEveryMs, atOnce: true });
  let audited = false;
  const look = async () => {
    await unlessStopped(watchBooks.look(stop.signal), stop.signal);
    audited = true;
  };
  const auditing = repeat(look, { ...parts, everyMs: auditEveryMs, atOnce: true });
  const file = checkFile(parts, stop.signal);
  return {
    checking: () => [...(audited ? [] : [describe(watchBooks)]), ...file.checking()],
    problems: file.problems,
    stop: async () => {
      stop.abort();
      await Promise.all([releasing.stop(), sweeping.stop(), auditing.stop(), file.ended]);
    },
  };
}

function describe(watchBooks: WatchBooks): string {
  const { audited, entries } = watchBooks.progress();
  return `ledger: ${audited} of ${entries} new entries audited`;
}

type FileCheck = Pick<Upkeep, 'checking' | 'problems'> & { ended: Promise<void> };

function checkFile(
  { store, logger, onProblem }: UpkeepParts & { store: Pick<Store, 'findDamage'> },
  stop: AbortSignal,
): FileCheck {
  let checked = false;
  let problem: string | undefined;
  const ended = unlessStopped(store.findDamage(stop), stop)
    .then((found) => {
      checked = true;
      problem = found;
      if (found !== undefined) logger.error(found);
    })
    .catch((error: unknown) => onProblem('the database file could not be looked through', error));
  return {
    checking: () => (checked ? [] : ['database file: being looked through for damage']),
    problems: () => (problem === undefined ? [] : [problem]),
    ended,
  };
}

/** To be broken off is what a stop is for, and no failure. */
async function unlessStopped<T>(work: Promise<T>, stop: AbortSignal): Promise<T | undefined> {
  try {
    return await work;
  } catch (error) {
    if (stop.aborted) return undefined;
    throw error;
  }
}
