import { hash } from 'node:crypto';
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

/**
 * Returns the maker of made-up local parts. They look like a person's, so that they tell no host who asks, and
 * belong to no mailbox.
 *
 * Each is made from a secret of the installation and the domain. So it is the same each time (a host that greylists
 * would put each new one off for ever) and differs from that of every other installation. A syllable has 6 bits:
 * seven of them and the digits leave less than one chance in 2^48 that a person bears the name. The digits keep it
 * from being a role.
 */
export function randomProbeNames(key: string): (domain: string) => string {
  // Always of one length, so only the domain can follow it in a digest.
  const secret = hash('sha256', key);
  return (domain) => makeName(secret, domain);
}

/** Makes a name from one digest of both. It shows too little of the digest to find the secret or any other name. */
function makeName(secret: string, domain: string): string {
  // A character for each byte.
  const bytes = hash('sha256', secret + domain, 'binary');
  const given = spoken(bytes, 0, 3);
  const family = spoken(bytes, 3, 7);
  const number = 10 + (((bytes.charCodeAt(7) << 8) | bytes.charCodeAt(8)) % 990);
  return `${given}${separators[bytes.charCodeAt(9) % separators.length] ?? ''}${family}${number}`;
}

const separators = ['.', '.', '_', '-', ''];
const syllables = Array.from('aeio').flatMap((vowel) =>
  Array.from('bdfghklmnprstvwz', (consonant) => consonant + vowel),
);

function spoken(bytes: string, start: number, end: number): string {
  let name = '';
  for (let index = start; index < end; index += 1) name += syllables[bytes.charCodeAt(index) & 63] ?? '';
  return name;
}
