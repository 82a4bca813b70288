import type { Feature, StoreShare } from '../../core/feature.ts';
import { eraseExpiredInvitations } from './invitations.ts';
import { eraseExpiredVisits } from './recognise-identity.ts';
import { eraseExpiredSessions } from './sessions/create-sessions.ts';
import type { PeopleHttp } from './routes/people-parts.ts';

const store: StoreShare = {
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

export const peopleFeature: Feature<PeopleHttp> = {
  name: 'people',
  store,
  loadHttp: async () => (await import('./routes/people-http.ts')).peopleHttp,
};
