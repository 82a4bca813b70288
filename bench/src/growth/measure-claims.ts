/** What a claim costs in stores of different size, measured in turn: most of it is the disk's, which is now fast, now slow. */
import { openStore, type Store } from '../../../service/src/index.ts';
import { claimTask, releaseTask, type Claim } from '../../../service/src/core/verify/tasks/claim-task.ts';
import { spreadOf, type Spread } from '../results/numbers.ts';
import type { GrownStore } from './grown-store.ts';

export type ClaimFigures = {
  /** The first on a store that was just opened: its connection has no page in memory and no statement prepared. */
  firstClaimMs: number;
  claimMs: Spread;
};

/** Less than an account may have, so that none is refused. */
const mostUnderWay = 8;
const hourMs = 3_600_000;
const turns = 10;

/** In the order of the stores. */
export async function measureClaims(stores: readonly GrownStore[]): Promise<ClaimFigures[]> {
  // What the code costs the first time is not to be told of the first store.
  await claimInTurn(stores, { turns: 1, claimsInTurn: 1 });
  // Each task is claimed once, and one is gone already.
  const mostClaims = Math.min(...stores.map(({ past }) => past.tasks - 1));
  return await claimInTurn(stores, { turns, claimsInTurn: Math.min(20, Math.floor(mostClaims / turns)) });
}

async function claimInTurn(
  stores: readonly GrownStore[],
  order: { turns: number; claimsInTurn: number },
): Promise<ClaimFigures[]> {
  const claimers = [];
  try {
    for (const { settings } of stores)
      claimers.push(createClaimer(await openStore({ ...settings, check: false })));
    for (let turn = 0; turn < order.turns; turn += 1)
      for (const { claim } of claimers) for (let n = 0; n < order.claimsInTurn; n += 1) await claim();
    return claimers.map(({ took: [firstClaimMs = NaN, ...others] }) => ({
      firstClaimMs,
      claimMs: spreadOf(others),
    }));
  } finally {
    for (const { store } of claimers) await store.close();
  }
}

/** Some are under way at any time; each is then put back for later, and the next claim takes another. */
function createClaimer(store: Store) {
  const took: number[] = [];
  const held: Claim[] = [];
  async function claim(): Promise<void> {
    const now = Date.now();
    const beganAt = performance.now();
    const claimed = await store.write((tx) => claimTask(tx, { processId: 'bench', mode: 'live', now }));
    took.push(performance.now() - beganAt);
    if (claimed === undefined) throw new Error('there is nothing to claim');
    held.push(claimed);
    const longest = held.length < mostUnderWay ? undefined : held.shift();
    if (longest !== undefined) await store.write((tx) => releaseTask(tx, longest, now + hourMs));
  }
  return { store, took, claim };
}
