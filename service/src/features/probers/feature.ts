import type { Feature, StoreShare } from '../../core/feature.ts';
import { repeatedly } from '../../core/upkeep/sweep.ts';
import { egressChannel } from './egress-addresses.ts';
import { tendProbers } from './prober-faults.ts';
import { eraseOverdueProbes } from './probe-rows.ts';
import type { ProberHttp } from './prober-centre.ts';

const store: StoreShare = {
  createSweep:
    ({ store, wallClock, serialKey }) =>
    async () => {
      const changed = await store.write((tx) => tendProbers(tx, wallClock.now()), serialKey);
      if (changed > 0) store.notify(egressChannel);
      return repeatedly((now) => store.write((tx) => eraseOverdueProbes(tx, now), serialKey), { wallClock });
    },
};

export const probersFeature: Feature<ProberHttp> = {
  name: 'probers',
  store,
  loadHttp: async () => (await import('./routes/probers-http.ts')).probersHttp,
};
