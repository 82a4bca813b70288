import { createBoundedCache } from '../bounded-cache.ts';
import type { Clock } from '../clock.ts';
import type { HostPolicy, Politeness } from './policy.ts';
import type { MailboxFinding } from './session-outcome.ts';

/**
 * How each account goes about asking at each group. Whoever asks for many mailboxes that do not exist is asked for more
 * slowly there, alone: dirty lists are why people come, and nobody else pays for them.
 *
 *     fewer than 50 mailboxes ──▶ as fast as the group is asked at all ⇄ over 30 % unknown ⇄ over 60 % unknown
 *
 * The rates are recipients a minute, by the policy of the group. What is known of an account is forgotten an hour after
 * it last asked there. Where pacing is off the rates are without end, and nothing is counted.
 */
export type AccountConduct = {
  /** From when on the account may ask for one more mailbox of the group; a point on the clock, past or yet to come. */
  mayAskFrom(account: string, policy: HostPolicy): number;
  /** The account is about to ask for one. */
  asks(account: string, policy: HostPolicy): void;
  /** It did not, after all. */
  didNotAsk(account: string, policy: HostPolicy): void;
  /** What came of the questions of a conversation. */
  note(findings: readonly MailboxFinding[], policy: HostPolicy): void;
  /** Slows the account down for so long, whatever its mailboxes are like. */
  slowDown(account: string, policy: HostPolicy, forMs: number): void;
};

type Conduct = {
  /** Of the last fifty mailboxes, whether each is unknown. */
  lastUnknown: boolean[];
  /** When it asked within the last minute, as far as that is limited. */
  askedAt: number[];
  slowUntil: number;
};

const mailboxWindow = 50;
const minuteMs = 60_000;
const conductLifeMs = 3_600_000;

export function createAccountConduct(clock: Clock, maxEntries: number): AccountConduct {
  const conducts = createBoundedCache<Conduct>({ clock, maxEntries });
  const keyOf = (account: string, { group }: HostPolicy): string => `${group} ${account}`;
  const find = (account: string, policy: HostPolicy): Conduct | undefined =>
    conducts.size() === 0 ? undefined : conducts.peek(keyOf(account, policy));

  function change(account: string, policy: HostPolicy, lifeMs = conductLifeMs): Conduct {
    const key = keyOf(account, policy);
    const conduct = conducts.get(key) ?? { lastUnknown: [], askedAt: [], slowUntil: -Infinity };
    conducts.set(key, conduct, Math.max(lifeMs, conducts.lifeOf(key)));
    return conduct;
  }

  return {
    mayAskFrom(account, policy) {
      const conduct = find(account, policy);
      if (conduct === undefined) return -Infinity;
      const perMinute = allowedPerMinute(conduct, policy.politeness, clock);
      return Number.isFinite(perMinute)
        ? (conduct.askedAt.at(-perMinute) ?? -Infinity) + minuteMs
        : -Infinity;
    },
    asks(account, policy) {
      const conduct = find(account, policy);
      if (conduct === undefined || !isSlowed(conduct, policy.politeness, clock)) return;
      const now = clock.now();
      conduct.askedAt = [...conduct.askedAt.filter((at) => at > now - minuteMs), now];
    },
    didNotAsk: (account, policy) => void find(account, policy)?.askedAt.pop(),
    note(findings, policy) {
      if (!isPaced(policy.politeness)) return;
      for (const { account, said } of findings) {
        const { lastUnknown } = change(account, policy);
        lastUnknown.push(said === 'unknown');
        if (lastUnknown.length > mailboxWindow) lastUnknown.shift();
      }
    },
    slowDown(account, policy, forMs) {
      if (!isPaced(policy.politeness)) return;
      change(account, policy, forMs).slowUntil = clock.now() + forMs;
    },
  };
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
