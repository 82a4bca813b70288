import { createBoundedCache } from '../bounded-cache.ts';
import type { Clock } from '../clock.ts';
import type { HostPolicy, Politeness } from './policy.ts';
import type { SessionOutcome } from './session-outcome.ts';

/**
 * The conduct of each account at each group. An account that asks for many mailboxes that do not exist is slowed
 * down there, alone. Customers come with dirty lists, and no other account pays for them.
 *
 *     fewer than 50 mailboxes ──▶ as fast as the group is asked at all ⇄ over 30 % unknown ⇄ over 60 % unknown
 *
 * The rates are recipients a minute, by the policy of the group. The conduct of an account is forgotten an hour
 * after it last asked there. If pacing is off the rates are without end, and nothing is counted.
 *
 * At providers there is a further limit, for an egress address over all accounts (`UnknownBrake`). It stops only
 * accounts whose own recipients are above its percentage; the first ten of an account are free of it.
 */
export type AccountConduct = {
  /** When the account may ask for one more mailbox of the group; a point on the clock, past or yet to come. */
  mayAskFrom(account: string, policy: HostPolicy, egress?: string): number;
  /** Notes that the account is about to ask for one, from this egress address. */
  asks(account: string, at: BrakedAt): void;
  /** Takes that back: it did not ask after all. */
  didNotAsk(account: string, at: BrakedAt): void;
  /** Notes the answers of a conversation. */
  note(outcome: Heard, at: BrakedAt): void;
  /** Slows the account down for `forMs`, whatever its mailboxes are like. */
  slowDown(account: string, policy: HostPolicy, forMs: number): void;
};

type Heard = Pick<SessionOutcome, 'mailboxes' | 'madeUp'>;

type Conduct = {
  /** Of the last fifty mailboxes, whether each is unknown. */
  lastUnknown: boolean[];
  /** When it asked within the last minute, as far as that is limited. */
  askedAt: number[];
  slowUntil: number;
  /**
   * At a provider: how many it asked for, and of the last fifty recipients, made-up ones included, whether each is
   * unknown.
   */
  asked: number;
  recipientsUnknown: boolean[];
};

const mailboxWindow = 50;
/** Fewer tell nothing of an account. */
const recipientsThatTell = 10;
const minuteMs = 60_000;
const conductLifeMs = 3_600_000;

export function createAccountConduct(clock: Clock, maxEntries: number): AccountConduct {
  const conducts = createBoundedCache<Conduct>({ clock, maxEntries });
  const brake = createUnknownBrake(clock);
  const keyOf = (account: string, { group }: HostPolicy): string => `${group} ${account}`;
  const find = (account: string, policy: HostPolicy): Conduct | undefined =>
    conducts.size() === 0 ? undefined : conducts.peek(keyOf(account, policy));

  function change(account: string, policy: HostPolicy, lifeMs = conductLifeMs): Conduct {
    const key = keyOf(account, policy);
    const conduct = conducts.get(key) ?? newConduct();
    conducts.set(key, conduct, Math.max(lifeMs, conducts.lifeOf(key)));
    return conduct;
  }

  return {
    mayAskFrom(account, policy, egress) {
      const conduct = find(account, policy);
      if (conduct === undefined) return -Infinity;
      const perMinute = allowedPerMinute(conduct, policy.politeness, clock);
      const bySelf = Number.isFinite(perMinute)
        ? (conduct.askedAt.at(-perMinute) ?? -Infinity) + minuteMs
        : -Infinity;
      return paysForUnknown(conduct, policy) ? Math.max(bySelf, brake.mayAskFrom(policy, egress)) : bySelf;
    },
    asks(account, at) {
      const { policy } = at;
      if (isBraked(policy)) {
        const conduct = change(account, policy);
        conduct.asked += 1;
        if (paysForUnknown(conduct, policy)) brake.pay(account, at);
      }
      const conduct = find(account, policy);
      if (conduct === undefined || !isSlowed(conduct, policy.politeness, clock)) return;
      const now = clock.now();
      conduct.askedAt = [...conduct.askedAt.filter((asked) => asked > now - minuteMs), now];
    },
    didNotAsk(account, at) {
      if (isBraked(at.policy)) brake.payBack(account, at);
      find(account, at.policy)?.askedAt.pop();
    },
    note({ mailboxes, madeUp }, at) {
      const { policy } = at;
      if (!isPaced(policy.politeness)) return;
      for (const { account, said } of mailboxes)
        push(change(account, policy).lastUnknown, said === 'unknown');
      if (!isBraked(policy)) return;
      for (const findings of [mailboxes, madeUp])
        for (const { account, said } of findings) {
          const isUnknown = said === 'unknown';
          push(change(account, policy).recipientsUnknown, isUnknown);
          brake.note(account, { isUnknown, isMadeUp: findings === madeUp }, at);
        }
    },
    slowDown(account, policy, forMs) {
      if (!isPaced(policy.politeness)) return;
      change(account, policy, forMs).slowUntil = clock.now() + forMs;
    },
  };
}

function newConduct(): Conduct {
  return { lastUnknown: [], askedAt: [], slowUntil: -Infinity, asked: 0, recipientsUnknown: [] };
}

function push(window: boolean[], isUnknown: boolean): void {
  window.push(isUnknown);
  if (window.length > mailboxWindow) window.shift();
}

function isBraked({ brakes, politeness }: HostPolicy): boolean {
  return brakes && Number.isFinite(politeness.unknownPerMinute);
}

/**
 * Whether the account has to pay for each recipient: too many of its own are unknown, or it has asked for too few to
 * tell.
 */
function paysForUnknown({ asked, recipientsUnknown }: Conduct, policy: HostPolicy): boolean {
  if (!isBraked(policy) || asked <= recipientsThatTell) return false;
  const { length } = recipientsUnknown;
  const unknown = recipientsUnknown.filter(Boolean).length;
  return length < recipientsThatTell || (100 * unknown) / length > policy.politeness.unknownPercent;
}

function isPaced({ recipientsPerMinuteIfMostUnknown }: Politeness): boolean {
  return Number.isFinite(recipientsPerMinuteIfMostUnknown);
}

function isSlowed(conduct: Conduct, politeness: Politeness, clock: Clock): boolean {
  return Number.isFinite(allowedPerMinute(conduct, politeness, clock));
}

function allowedPerMinute({ lastUnknown, slowUntil }: Conduct, politeness: Politeness, clock: Clock): number {
  if (slowUntil > clock.now()) return politeness.recipientsPerMinuteIfMostUnknown;
  if (lastUnknown.length < mailboxWindow) return Infinity;
  const percent = (100 * lastUnknown.filter(Boolean).length) / mailboxWindow;
  if (percent > politeness.mostUnknownPercent) return politeness.recipientsPerMinuteIfMostUnknown;
  return percent > politeness.manyUnknownPercent ? politeness.recipientsPerMinuteIfManyUnknown : Infinity;
}

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

type BrakedAt = { policy: HostPolicy; egress: string };

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

function createUnknownBrake(clock: Clock): UnknownBrake {
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
