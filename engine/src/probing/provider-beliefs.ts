import { createBoundedCache } from '../bounded-cache.ts';
import type { Clock } from '../clock.ts';
import type { Limits } from '../limits.ts';
import { emptyNamespace, type MemoryNamespace } from '../memory.ts';
import { isBelievedUnasked, providerOf } from '../replies/providers.ts';
import type { CanonicalHost } from '../syntax/address.ts';

/**
 * Providers that are known to refuse unknown mailboxes at their own domains are believed there without asking for a
 * made-up address. Providers change, and may treat one egress route otherwise than another. So once a day for each
 * provider and route one made-up address is still asked for, along with an ordinary conversation.
 *
 *     believed ──▶ a made-up address was accepted: doubted for a day ──▶ believed
 *
 * While a provider is doubted its own domains are asked like any other. An answer that says neither is no answer:
 * the belief stands, and the question is asked again a little later.
 */
export type ProviderBeliefs = {
  /** Whether the provider is believed at this domain. */
  holds(domain: CanonicalHost, mailHost: CanonicalHost): boolean;
  /** Whether it is believed, but a made-up address has to be asked for once more. */
  isDue(domain: CanonicalHost, check: BeliefCheck): boolean;
  /** Notes that one is being asked for now. */
  begin(domain: CanonicalHost, check: BeliefCheck): void;
  /** Notes the answer about the made-up address. */
  note(domain: CanonicalHost, check: BeliefCheck, answer: 'yes' | 'no'): void;
  /** How long a provider is doubted. */
  doubtMs: number;
};

export type BeliefCheck = { mailHost: CanonicalHost; route: string };

type BeliefParts = {
  clock: Clock;
  limits: Pick<Limits, 'beliefMs' | 'beliefAgainMs'>;
  memory?: MemoryNamespace;
  onProblem(message: string): void;
};

/** The most entries; there are fewer providers and routes than that. */
const entriesKept = 10_000;

export function createProviderBeliefs(parts: BeliefParts): ProviderBeliefs {
  const { clock, limits, memory = emptyNamespace } = parts;
  const news = createBoundedCache<'checked' | 'doubted'>({ clock, maxEntries: entriesKept });
  memory.follow(({ key, value, lifeMs }) => {
    if (value !== 'checked' && value !== 'doubted') return;
    news.set(key, value, Math.min(lifeMs, limits.beliefMs));
  });
  const holds: ProviderBeliefs['holds'] = (domain, mailHost) =>
    isBelievedUnasked(domain, mailHost) && news.peek(doubtKey(mailHost)) === undefined;

  function learn(key: string, what: 'checked' | 'doubted'): void {
    news.set(key, what, limits.beliefMs);
    memory.learn(key, what, limits.beliefMs);
  }

  return {
    holds,
    doubtMs: limits.beliefMs,
    isDue: (domain, check) => holds(domain, check.mailHost) && news.peek(checkKey(check)) === undefined,
    begin(domain, check) {
      if (holds(domain, check.mailHost)) news.set(checkKey(check), 'checked', limits.beliefAgainMs);
    },
    note(domain, check, answer) {
      if (!holds(domain, check.mailHost)) return;
      learn(checkKey(check), 'checked');
      if (answer === 'no') return;
      learn(doubtKey(check.mailHost), 'doubted');
      parts.onProblem(
        `${nameOf(check.mailHost)} accepts made-up addresses at its own domains: for a day it is asked like any other`,
      );
    },
  };
}

function doubtKey(mailHost: CanonicalHost): string {
  return `doubted ${nameOf(mailHost)}`;
}

function checkKey({ mailHost, route }: BeliefCheck): string {
  return `checked ${nameOf(mailHost)} ${route}`;
}

function nameOf(mailHost: CanonicalHost): string {
  return providerOf(mailHost)?.id ?? mailHost;
}
