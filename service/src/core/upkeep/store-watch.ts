import type { Clock } from '@mailproof/engine';
import type { OnGroup } from '../store/groups/time-group.ts';
import type { Store } from '../store/store.ts';
import { StoreUnavailableError, type StoreFault } from '../store/store-unavailable-error.ts';
import type { WallClock } from '../store/wall-clock.ts';

/**
 * Tells whether the database takes writes, and the same to every reader: `/readyz`, the metrics and the Health page.
 *
 * Two sources: a check that writes, and the transactions of the service itself. The check may succeed on a disk that has
 * a few pages left, while a transaction that needs more fails; so a fault of the disk counts for a few seconds.
 */
export type StoreWatch = { look: () => Promise<StoreState> };

export type StoreState = { kind: 'available' } | { kind: 'unavailable'; fault: StoreFault; problem: string };

export type WriteFaults = {
  /** Takes the report of a transaction. */
  note: OnGroup;
  /** The fault of the disk that a transaction met in the last seconds. */
  latest: () => StoreFault | undefined;
};

/** Faults that hold for every write. Another fault may be that of one account: its row is locked. */
const faultsOfAll: ReadonlySet<StoreFault> = new Set<StoreFault>([
  'full',
  'not_writable',
  'corrupt',
  'failing',
]);

const faultCountsMs = 5_000;

export function createWriteFaults({ clock }: { clock: Pick<Clock, 'now'> }): WriteFaults {
  let known: { fault: StoreFault; until: number } | undefined;
  return {
    note: ({ fault }) => {
      if (fault !== undefined && faultsOfAll.has(fault))
        known = { fault, until: clock.now() + faultCountsMs };
    },
    latest: () => (known !== undefined && clock.now() < known.until ? known.fault : undefined),
  };
}

type StoreWatchParts = {
  store: Pick<Store, 'check'>;
  faults: Pick<WriteFaults, 'latest'>;
  clock: Pick<Clock, 'now' | 'after'>;
  wallClock: WallClock;
};

/** Anybody may ask for the state, and the check writes: so it runs once a second at most. */
const rememberMs = 1_000;

/** A scrape is given up after ten seconds, and most health checks after five. */
const longestWaitMs = 3_000;

export function createStoreWatch({ store, faults, clock, wallClock }: StoreWatchParts): StoreWatch {
  let known: { state: Promise<StoreState>; until: number } | undefined;

  async function check(): Promise<StoreState> {
    try {
      await store.check(wallClock.now());
      const fault = faults.latest();
      return fault === undefined ? { kind: 'available' } : unavailable(new StoreUnavailableError(fault));
    } catch (error) {
      if (error instanceof StoreUnavailableError) return unavailable(error);
      throw error;
    }
  }

  function checkInTime(): Promise<StoreState> {
    return new Promise((resolve, reject) => {
      const late = new StoreUnavailableError('slow');
      const cancel = clock.after(longestWaitMs, () => resolve(unavailable(late)));
      void check().then(resolve, reject).finally(cancel);
    });
  }

  return {
    look: () => {
      const now = clock.now();
      if (known === undefined || now >= known.until)
        known = { state: checkInTime(), until: now + rememberMs };
      return known.state;
    },
  };
}

function unavailable({ fault, message }: StoreUnavailableError): StoreState {
  return { kind: 'unavailable', fault, problem: message };
}
