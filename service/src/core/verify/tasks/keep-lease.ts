import type { Clock } from '@mailproof/engine';
import type { Store } from '../../store/store.ts';
import type { WallClock } from '../../store/wall-clock.ts';
import { leaseMs, renewLease, renewLeaseMs, type Claim } from './claim-task.ts';

type KeptLease = { lost: AbortSignal; end: () => void };

type KeepLeaseParts = { store: Pick<Store, 'write'>; clock: Clock; wallClock: WallClock };

/**
 * Renews the lease of a claim while its worker works. It is lost when another worker has claimed the task, or
 * when the store could not be told for as long as a lease lasts: then another may.
 */
export function keepLease(claim: Claim, { store, clock, wallClock }: KeepLeaseParts): KeptLease {
  const lost = new AbortController();
  let renewedAt = clock.now();
  let ended = false;
  let cancel = clock.after(renewLeaseMs, renew);

  function renew(): void {
    const askedAt = clock.now();
    void store
      .write((tx) => renewLease(tx, claim, wallClock.now()), claim.accountId)
      .then((ours) => {
        if (ours) renewedAt = askedAt;
        else lost.abort();
      })
      .catch(() => {
        if (clock.now() - renewedAt >= leaseMs) lost.abort();
      })
      .finally(() => {
        if (!ended && !lost.signal.aborted) cancel = clock.after(renewLeaseMs, renew);
      });
  }

  return {
    lost: lost.signal,
    end: () => {
      ended = true;
      cancel();
    },
  };
}
