import { createBoundedCache } from '../bounded-cache.ts';
import type { Clock } from '../clock.ts';
import type { HostPolicy, Politeness } from './policy.ts';

/**
 * How many unknown recipients a provider hears from one of our egress addresses, over all accounts. Receivers judge
 * an address by that, whichever customer is behind them.
 *
 * Each pair of a provider and an egress address has a budget of unknown recipients: `unknownPerMinute` of them a
 * minute, and beyond that one for each nine others (at 10 %). Made-up recipients count like all.
 *
 *     budget left ──▶ every account is asked for ⇄ none left ──▶ accounts with few unknown ones go on, the others wait
 *
 * The account that uses the budget up waits for it: each recipient is paid for when it is named, and paid back if it
 * is not unknown. An account whose own recipients are within the percentage pays nothing, because asking for it does
 * not raise the share. So the limit costs the account that brings the unknown ones.
 */
type UnknownBrake = {
  /** When an account that pays may ask for one more; `egress` undefined: from the address that allows it soonest. */
  mayAskFrom(policy: HostPolicy, egress: string | undefined): number;
  pay(account: string, at: BrakedAt): void;
  payBack(account: string, at: BrakedAt): void;
  /** Notes the answer for one recipient. A made-up one was never paid for. */
  note(account: string, heard: { isUnknown: boolean; isMadeUp: boolean }, at: BrakedAt): void;
};

export type BrakedAt = { policy: HostPolicy; egress: string };

type Budget = {
  left: number;
  at: number;
  /** Recipients that were paid for and not yet answered, by account. */
  paid: Map<string, number>;
};

/** The most budgets; there are fewer providers and egress addresses than that. */
const budgetsKept = 10_000;
/** The life of a budget: after an hour every budget is full again. */
const budgetLifeMs = 3_600_000;
const minuteMs = 60_000;

export function createUnknownBrake(clock: Clock): UnknownBrake {
  const budgets = createBoundedCache<Budget>({ clock, maxEntries: budgetsKept });
  /** The egress addresses that each group was asked from. */
  const egressOf = new Map<string, Set<string>>();
  const keyOf = ({ policy, egress }: BrakedAt): string => `${policy.group} ${egress}`;

  function filled(budget: Budget, { unknownPerMinute: most }: Politeness): Budget {
    const now = clock.now();
    budget.left = Math.min(most, budget.left + ((now - budget.at) * most) / minuteMs);
    budget.at = now;
    return budget;
  }

  function change(at: BrakedAt): Budget {
    const { group, politeness } = at.policy;
    const key = keyOf(at);
    const known = budgets.peek(key);
    if (known === undefined) rememberEgress(group, at.egress);
    const budget = known ?? { left: politeness.unknownPerMinute, at: clock.now(), paid: new Map() };
    budgets.set(key, budget, budgetLifeMs);
    return filled(budget, politeness);
  }

  function rememberEgress(group: string, egress: string): void {
    if (egressOf.size >= budgetsKept) egressOf.clear();
    egressOf.set(group, (egressOf.get(group) ?? new Set()).add(egress));
  }

  function fullFrom(at: BrakedAt): number {
    const { politeness } = at.policy;
    const budget = budgets.peek(keyOf(at));
    if (budget === undefined) return -Infinity;
    const { left } = filled(budget, politeness);
    return left >= 1
      ? -Infinity
      : clock.now() + Math.ceil(((1 - left) * minuteMs) / politeness.unknownPerMinute);
  }

  return {
    mayAskFrom(policy, egress) {
      if (egress !== undefined) return fullFrom({ policy, egress });
      const known = egressOf.get(policy.group);
      return known === undefined
        ? -Infinity
        : Math.min(...[...known].map((one) => fullFrom({ policy, egress: one })));
    },
    pay(account, at) {
      const budget = change(at);
      budget.left -= 1;
      budget.paid.set(account, (budget.paid.get(account) ?? 0) + 1);
    },
    payBack(account, at) {
      settle(account, change(at));
    },
    note(account, { isUnknown, isMadeUp }, at) {
      const { politeness } = at.policy;
      const budget = change(at);
      if (!isMadeUp) settle(account, budget);
      budget.left = Math.min(
        politeness.unknownPerMinute,
        budget.left + (isUnknown ? -1 : earnedByOther(politeness)),
      );
    },
  };
}

/** Gives back the account's payment for one recipient, if it made one. */
function settle(account: string, budget: Budget): void {
  const paid = budget.paid.get(account);
  if (paid === undefined) return;
  budget.left += 1;
  if (paid > 1) budget.paid.set(account, paid - 1);
  else budget.paid.delete(account);
}

function earnedByOther({ unknownPercent }: Politeness): number {
  return unknownPercent / (100 - unknownPercent);
}
