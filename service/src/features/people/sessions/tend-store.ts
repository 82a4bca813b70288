import type { StoreShare } from '../../../core/feature.ts';
import { eraseExpiredInvitations } from '../invitations.ts';
import { eraseExpiredVisits } from '../recognise-identity.ts';
import { eraseExpiredSessions } from './create-sessions.ts';

export const peopleInStore: StoreShare = {
  createSweep:
    ({ store, wallClock, serialKey }) =>
    async () => {
      await store.write(async (tx) => {
        const now = wallClock.now();
        await eraseExpiredSessions(tx, now);
        await eraseExpiredVisits(tx, now);
        await eraseExpiredInvitations(tx, now);
      }, serialKey);
      return 0;
    },
};
