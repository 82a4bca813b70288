import { createBoundedCache } from '../bounded-cache.ts';
import type { Clock } from '../clock.ts';
import type { MailTarget } from '../dns/mail-route.ts';
import type { Limits } from '../limits.ts';
import { emptyNamespace, isFields, type MemoryNamespace } from '../memory.ts';
import { isBelievedUnasked, providerOf, type ProviderId } from '../replies/providers.ts';
import type { CanonicalHost } from '../syntax/address.ts';
import { withItem } from '../with-item.ts';
import type { KnownCatchAll } from './conclude.ts';

/**
 * Known answers about made-up recipients, for each domain at each of its mail hosts. A backup host may take every
 * recipient while the first one knows its mailboxes, so nothing is known of a domain as such.
 *
 * A yes lives longer than a no: a host that begins to take made-up recipients makes our `safe` a promise that we
 * cannot keep. An undetermined answer is never remembered, so it cannot displace a good one. An answer that
 * contradicts a fact removes it.
 */
export type DomainFacts = {
  /** Returns the remembered fact, or the belief about the provider. */
  recall(domain: CanonicalHost, target: MailTarget): KnownCatchAll | undefined;
  /** Whether a made-up recipient has to be asked for, and no other conversation asks for it now. */
  needsAsking(domain: CanonicalHost, asked: AskedHost): boolean;
  /** Marks the question as being asked, until `ended`. */
  begin(domain: CanonicalHost, asked: AskedHost): void;
  ended(domain: CanonicalHost, asked: AskedHost): void;
  /** Calls `tell` when the conversation that asks has ended; returns false if none asks. */
  whenEnded(domain: CanonicalHost, target: MailTarget, tell: () => void): boolean;
  learn(domain: CanonicalHost, asked: AskedHost, fact: CatchAllFact): void;
  /** Forgets a fact that the host has contradicted. */
  forget(domain: CanonicalHost, target: MailTarget): void;
};

/** The host that is asked, the provider that runs it if one is known, and the route on which it is asked. */
export type AskedHost = { target: MailTarget; provider: ProviderId | undefined; route: string };

/** `refusedAs` is the template of a refusal that gives no reason, and that a contrast proved to mean "unknown". */
type CatchAllFact = { answer: 'yes' } | { answer: 'no'; refusedAs?: string | undefined };

type FactParts = {
  clock: Clock;
  limits: Pick<Limits, 'catchAllEntries' | 'catchAllYesMs' | 'catchAllNoMs'>;
  memory?: MemoryNamespace;
  beliefs: ProviderBeliefs;
};

/** `fullMs` is the life that a fact had when it was new. */
type Kept = { fact: CatchAllFact; fullMs: number };

export function createDomainFacts(parts: FactParts): DomainFacts {
  const { clock, limits, beliefs, memory = emptyNamespace } = parts;
  const facts = createBoundedCache<Kept>({ clock, maxEntries: limits.catchAllEntries });
  const longest = { yes: limits.catchAllYesMs, no: limits.catchAllNoMs };
  /** The questions that are being asked, each with the calls that wait for its end. */
  const asking = new Map<string, readonly (() => void)[]>();
  const ageOf = (key: string, { fullMs }: Kept): number => fullMs - facts.lifeOf(key);
  const keyOf = rememberKey();

  memory.follow(({ key, value, lifeMs }) => {
    const fact = lifeMs <= 0 ? undefined : readFact(value);
    if (lifeMs <= 0) facts.delete(key);
    if (fact === undefined) return;
    const heard = { answer: fact.answer, ageMs: Math.max(0, longest[fact.answer] - lifeMs) };
    const known = facts.peek(key);
    const isOlder =
      known !== undefined &&
      laterAnswer({ answer: known.fact.answer, ageMs: ageOf(key, known) }, heard) !== heard;
    if (!isOlder) facts.set(key, { fact, fullMs: longest[fact.answer] }, longest[fact.answer] - heard.ageMs);
  });

  function recall(domain: CanonicalHost, target: MailTarget): KnownCatchAll | undefined {
    const key = keyOf(domain, target);
    const kept = facts.get(key);
    if (kept === undefined) return beliefs.holds(domain, target.host) ? byTable : undefined;
    const { fact } = kept;
    return {
      answer: { kind: fact.answer, from: 'memory', ageMs: ageOf(key, kept) },
      refusedAs: fact.answer === 'no' ? fact.refusedAs : undefined,
    };
  }

  return {
    recall,
    needsAsking(domain, { target, route }) {
      const key = keyOf(domain, target);
      if (asking.has(key)) return false;
      const isDue = beliefs.isDue(domain, { mailHost: target.host, route });
      return isDue || (facts.get(key) === undefined && !beliefs.holds(domain, target.host));
    },
    begin(domain, { target, route }) {
      beliefs.begin(domain, { mailHost: target.host, route });
      const key = keyOf(domain, target);
      if (!asking.has(key)) asking.set(key, []);
    },
    ended(domain, { target }) {
      const key = keyOf(domain, target);
      const waiting = asking.get(key) ?? [];
      asking.delete(key);
      for (const tell of waiting) tell();
    },
    whenEnded(domain, target, tell) {
      const key = keyOf(domain, target);
      const waiting = asking.get(key);
      if (waiting !== undefined) asking.set(key, withItem(waiting, tell));
      return waiting !== undefined;
    },
    learn(domain, { target, route }, fact) {
      const key = keyOf(domain, target);
      // At a domain that is usually believed, a fact holds no longer than a doubt does.
      const mostMs = isBelievedUnasked(domain, target.host) ? beliefs.doubtMs : Infinity;
      const fullMs = Math.min(longest[fact.answer], mostMs);
      facts.set(key, { fact, fullMs }, fullMs);
      memory.learn(key, fact, fullMs);
      beliefs.note(domain, { mailHost: target.host, route }, fact.answer);
    },
    forget(domain, target) {
      const key = keyOf(domain, target);
      if (facts.peek(key) === undefined) return;
      facts.delete(key);
      memory.learn(key, null, 0);
    },
  };
}

const byTable: KnownCatchAll = { answer: { kind: 'no', from: 'provider_table' } };

type KeyOf = (domain: CanonicalHost, target: MailTarget) => string;

/** Makes keys, and remembers the last one: a session asks about one domain several times in a row. */
function rememberKey(): KeyOf {
  let last: { domain: CanonicalHost; target: MailTarget; key: string } | undefined;
  return (domain, target) => {
    if (last?.domain !== domain || last.target !== target)
      last = { domain, target, key: makeKey(domain, target) };
    return last.key;
  };
}

/**
 * Hosts of a known provider are alike behind one name. Elsewhere two machines may share a name and differ, so each
 * address counts by itself.
 */
const makeKey: KeyOf = (domain, { host, address }) =>
  providerOf(host) === undefined ? `${domain} ${host} ${address}` : `${domain} ${host}`;

/** Longer than any reply that is compared. */
const longestTemplate = 2_000;

/** Reads a kept value, which is not trusted. */
function readFact(value: unknown): CatchAllFact | undefined {
  if (!isFields(value)) return undefined;
  const { answer, refusedAs } = value;
  if (answer === 'yes') return { answer };
  if (answer !== 'no') return undefined;
  const isTemplate = typeof refusedAs === 'string' && refusedAs.length <= longestTemplate;
  return isTemplate ? { answer, refusedAs } : { answer };
}

type Aged = { answer: 'yes' | 'no'; ageMs: number };

/** Returns the later of two engines' answers; of two at once a yes, which promises less. */
export function laterAnswer(one: Aged, other: Aged): Aged {
  if (one.ageMs !== other.ageMs) return one.ageMs < other.ageMs ? one : other;
  return one.answer === 'yes' ? one : other;
}

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
type ProviderBeliefs = {
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
