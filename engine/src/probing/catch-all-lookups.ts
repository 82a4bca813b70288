import type { CatchAllAnswer } from '../evidence.ts';
import type { ReplyMeaning } from '../replies/meaning.ts';
import { isBelievedUnasked } from '../replies/providers.ts';
import type { CanonicalHost } from '../syntax/address.ts';
import type { CatchAllMemory } from './catch-all-memory.ts';

/**
 * Who asks for the random probe of a domain. What is remembered or known of the provider is not asked; what
 * one conversation is asking for is not asked by another, it waits for that answer.
 */
export type CatchAllLookups = {
  /** The answer where there is one; `being_asked` while somebody finds out. */
  look(domain: CanonicalHost, mailHost: CanonicalHost): CatchAllAnswer | 'being_asked' | undefined;
  /** Takes the question on. It has to be answered, by `undetermined` at the worst. */
  claim(domain: CanonicalHost): void;
  answer(domain: CanonicalHost, answer: CatchAllAnswer): void;
  /** The answer that is known, or that somebody is about to bring. */
  wait(domain: CanonicalHost, mailHost: CanonicalHost): Promise<CatchAllAnswer>;
};

export function createCatchAllLookups(memory: CatchAllMemory): CatchAllLookups {
  const asking = new Map<CanonicalHost, PromiseWithResolvers<CatchAllAnswer>>();

  function look(domain: CanonicalHost, mailHost: CanonicalHost): CatchAllAnswer | 'being_asked' | undefined {
    const remembered = memory.recall(domain);
    if (remembered !== undefined) return { kind: remembered, from: 'memory', ageMs: memory.ageMs(domain) };
    if (isBelievedUnasked(domain, mailHost)) return { kind: 'no', from: 'provider_table' };
    return asking.has(domain) ? 'being_asked' : undefined;
  }

  return {
    look,
    claim: (domain) => void asking.set(domain, Promise.withResolvers<CatchAllAnswer>()),
    answer(domain, answer) {
      if (answer.kind !== 'undetermined') memory.learn(domain, answer.kind);
      asking.get(domain)?.resolve(answer);
      asking.delete(domain);
    },
    async wait(domain, mailHost) {
      const known = look(domain, mailHost);
      if (known !== undefined && known !== 'being_asked') return known;
      return asking.get(domain)?.promise ?? { kind: 'undetermined', meaning: undefined };
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
