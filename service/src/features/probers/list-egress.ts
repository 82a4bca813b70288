import { statement } from '../../core/store/statement.ts';
import type { Store } from '../../core/store/store.ts';
import type { WallClock } from '../../core/store/wall-clock.ts';
import { egressLeaseMs } from './egress-addresses.ts';

/**
 * An egress address of the installation itself, as the operator sees it. Outside probers' addresses are listed with the
 * probers.
 */
export type ListedEgress = {
  name: string;
  /** `free`: no process asks from it now, because its last owner left it or its lease has ended. */
  state: 'well' | 'unwell' | 'free';
  /** One word for why nothing is asked from it; null if it is in use. */
  whyNot: string | null;
  /** Id of the process that asks from it; null if there is none. */
  owner: string | null;
  /** Time at which that process last renewed its lease. */
  seenAt: number | null;
  leaseUntil: number | null;
  conversations: number;
  /** Hosts and providers at rest, over all addresses of the owner. */
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

/** Figures as `noteEgressFigures` writes them; processes of the previous version write none. */
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
