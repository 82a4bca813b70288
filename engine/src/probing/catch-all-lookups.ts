import type { CatchAllAnswer } from '../evidence.ts';
import type { ReplyMeaning } from '../replies/meaning.ts';
import { isBelievedUnasked } from '../replies/providers.ts';
import type { CanonicalHost } from '../syntax/address.ts';
import type { CatchAllMemory } from './catch-all-memory.ts';
import type { BeliefCheck, ProviderBeliefs } from './provider-beliefs.ts';

/**
 * Who asks for the random probe of a domain. What is remembered or believed of the provider is not asked, but for the
 * one question a day by which a belief is checked; what one conversation is asking for is not asked by another, it
 * waits for that answer.
 */
export type CatchAllLookups = {
  /** The answer where there is one; `being_asked` while somebody finds out. */
  look(domain: CanonicalHost, mailHost: CanonicalHost): CatchAllAnswer | 'being_asked' | undefined;
  /** Whether somebody has to ask, and nobody does. */
  needsAsking(domain: CanonicalHost, check: BeliefCheck): boolean;
  /** Takes the question on. It has to be answered, by `undetermined` at the worst. */
  claim(domain: CanonicalHost, check: BeliefCheck): void;
  answer(domain: CanonicalHost, answer: CatchAllAnswer): void;
  /** The answer that is known, or that somebody is about to bring. */
  wait(domain: CanonicalHost, mailHost: CanonicalHost): Promise<CatchAllAnswer>;
};

type Claim = {
  check: BeliefCheck;
  /** Made for the first who waits for it; mostly nobody does. */
  awaited: PromiseWithResolvers<CatchAllAnswer> | undefined;
};

export function createCatchAllLookups(memory: CatchAllMemory, beliefs: ProviderBeliefs): CatchAllLookups {
  const asking = new Map<CanonicalHost, Claim>();

  function look(domain: CanonicalHost, mailHost: CanonicalHost): CatchAllAnswer | 'being_asked' | undefined {
    const remembered = memory.recall(domain);
    if (remembered !== undefined) return { kind: remembered, from: 'memory', ageMs: memory.ageMs(domain) };
    if (beliefs.holds(domain, mailHost)) return { kind: 'no', from: 'provider_table' };
    return asking.has(domain) ? 'being_asked' : undefined;
  }

  /** What is found at a domain that is usually believed holds no longer than a doubt does. */
  function learn(domain: CanonicalHost, answer: 'yes' | 'no', claim: Claim | undefined): void {
    const isOwn = claim !== undefined && isBelievedUnasked(domain, claim.check.mailHost);
    memory.learn(domain, answer, isOwn ? beliefs.doubtMs : undefined);
    if (claim !== undefined) beliefs.note(domain, claim.check, answer);
  }

  return {
    look,
    needsAsking: (domain, check) =>
      !asking.has(domain) && (beliefs.isDue(domain, check) || look(domain, check.mailHost) === undefined),
    claim(domain, check) {
      beliefs.begin(domain, check);
      asking.set(domain, { check, awaited: undefined });
    },
    answer(domain, answer) {
      const claim = asking.get(domain);
      asking.delete(domain);
      if (answer.kind !== 'undetermined') learn(domain, answer.kind, claim);
      claim?.awaited?.resolve(answer);
    },
    async wait(domain, mailHost) {
      const known = look(domain, mailHost);
      if (known !== undefined && known !== 'being_asked') return known;
      const claim = asking.get(domain);
      if (claim === undefined) return { kind: 'undetermined', meaning: undefined };
      claim.awaited ??= Promise.withResolvers();
      return claim.awaited.promise;
    },
  };
}

/**
 * A random probe that is taken makes the domain a catch-all; one refused as a mailbox that does not exist
 * makes it none. A refusal for any other reason says nothing either way, and is not remembered.
 */
export function catchAllAfter(meaning: ReplyMeaning): CatchAllAnswer {
  if (meaning.label === 'accepted') return { kind: 'yes', from: 'random_probe' };
  if (meaning.label === 'mailbox_not_exist') return { kind: 'no', from: 'random_probe' };
  return { kind: 'undetermined', meaning };
}
