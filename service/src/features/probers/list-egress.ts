import { statement } from '../../core/store/statement.ts';
import type { Store } from '../../core/store/store.ts';
import type { WallClock } from '../../core/store/wall-clock.ts';
import { egressLeaseMs } from './egress-addresses.ts';

/** An egress address of the installation itself, as the operator sees it. Those of probers outside are shown with them. */
export type ListedEgress = {
  name: string;
  /** `free`: nobody asks from it now, because its last owner left it or its lease has ended. */
  state: 'well' | 'unwell' | 'free';
  /** Why nothing is asked from it, in one word; null where something is. */
  whyNot: string | null;
  /** The process that asks from it, by its id; null where nobody does. */
  owner: string | null;
  /** When that process last prolonged its lease. */
  seenAt: number | null;
  leaseUntil: number | null;
  conversations: number;
  /** Hosts and providers that the owner leaves alone, from all of its addresses alike. */
  resting: number;
};

const mostShown = 1_000;

const findInside = statement((db) =>
  db
    .selectFrom('egress_address')
    .select(['name', 'owner', 'lease_until', 'well', 'why_not', 'seen'])
    .where('kind', '=', 'inside')
    .orderBy('name')
    .limit(mostShown),
);

type Parts = { store: Pick<Store, 'read'>; wallClock: WallClock };

export async function listEgress({ store, wallClock }: Parts): Promise<ListedEgress[]> {
  const rows = await store.read.all(findInside, {});
  const now = wallClock.now();
  return rows.map(({ name, owner, lease_until: leaseUntil, well, why_not: whyNot, seen }) => {
    if (owner === '' || leaseUntil <= now) return { name, ...nobodys };
    const { conversations = 0, resting = 0 } = JSON.parse(seen) as EgressFigures;
    return {
      name,
      state: well === 1 ? 'well' : 'unwell',
      whyNot: well === 1 ? null : whyNot,
      owner,
      seenAt: leaseUntil - egressLeaseMs,
      leaseUntil,
      conversations,
      resting,
    };
  });
}

/** As `noteEgressFigures` writes them; a process of a version before writes none. */
type EgressFigures = { conversations?: number; resting?: number };

const nobodys = {
  state: 'free' as const,
  whyNot: 'no_owner',
  owner: null,
  seenAt: null,
  leaseUntil: null,
  conversations: 0,
  resting: 0,
};
