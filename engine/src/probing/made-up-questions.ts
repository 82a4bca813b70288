import { isInOwnWords } from '../replies/providers.ts';
import type { CanonicalHost } from '../syntax/address.ts';
import { wasAccepted, isStateOfMailbox, isWithoutReason, type Line } from './conclude.ts';
import type { AskedHost, DomainFacts } from './domain-facts.ts';

/** The made-up recipients of one session: the domains that it asks for them, and the answers that need one beside. */
export class MadeUpQuestions {
  private readonly facts: DomainFacts;
  private readonly asked: AskedHost;
  private asking: CanonicalHost[] = [];

  constructor(facts: DomainFacts, asked: AskedHost) {
    this.facts = facts;
    this.asked = asked;
  }

  /** Marks the domain, so that no other session asks meanwhile. */
  begin(domain: CanonicalHost): void {
    if (this.asking.includes(domain)) return;
    this.facts.begin(domain, this.asked);
    this.asking.push(domain);
  }

  end(): void {
    const ended = this.asking;
    this.asking = [];
    for (const domain of ended) this.facts.ended(domain, this.asked);
  }

  /** Whether a made-up recipient belongs into the same group as the first mailbox of the domain. */
  isNeeded(domain: CanonicalHost, lines: readonly Line[]): boolean {
    return this.facts.needsAsking(domain, this.asked) && !hasHeard(domain, lines);
  }

  /** Whether an answer counts only with a made-up recipient beside it, and none was heard. */
  isNeededBeside(line: Line, domain: CanonicalHost, lines: readonly Line[]): boolean {
    if (hasHeard(domain, lines)) return false;
    const { target, provider } = this.asked;
    if (isStateOfMailbox(line.said.meaning)) return !isInOwnWords(provider, line.said.text);
    const known = this.facts.recall(domain, target);
    // A provider that is believed is tried once a day, after a mailbox that it accepted.
    if (wasAccepted(line))
      return (
        this.facts.needsAsking(domain, this.asked) || (known === undefined && !this.isAskedElsewhere(domain))
      );
    return isWithoutReason(line.said) && known?.answer.kind === 'yes';
  }

  /** Whether another session asks for it now: its answer will do. */
  private isAskedElsewhere(domain: CanonicalHost): boolean {
    return !this.asking.includes(domain) && !this.facts.needsAsking(domain, this.asked);
  }
}

function hasHeard(domain: CanonicalHost, lines: readonly Line[]): boolean {
  return lines.some((line) => line.recipient === 'made_up' && line.domain === domain);
}
