import type { AccountCredits } from '@mailproof/client';
import { Facts } from '../parts/facts.tsx';
import { grouped } from '../parts/format.ts';

/** The four numbers of an account, and that they agree. */
export function CreditFacts({ credits }: { credits: AccountCredits }) {
  const { granted, available, reserved, spent } = credits;
  const facts = [
    ['Available', available],
    ['Reserved', reserved],
    ['Spent', spent],
    ['Granted', granted],
  ] as const;
  return (
    <>
      <Facts facts={facts} />
      <p class="hint">
        {grouped(available)} available + {grouped(reserved)} reserved + {grouped(spent)} spent ={' '}
        {grouped(granted)} granted
      </p>
    </>
  );
}
