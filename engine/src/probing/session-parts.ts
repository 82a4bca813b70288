import type { Destination } from '../politeness/policy.ts';
import type { ReplyClassifier } from '../replies/classifier/classify-reply.ts';
import type { Route } from '../routes/choose-route.ts';
import type { MailPortWatch } from '../routes/watch-mail-port.ts';
import type { ConversationParts } from '../smtp/conversation.ts';
import type { CanonicalHost } from '../syntax/address.ts';
import type { DomainFacts } from './domain-facts.ts';
import type { HostMemory } from './host-traits.ts';
import type { PendingProbe } from './pending-probe.ts';
import type { ProbeSupply } from './roster.ts';

/** The order to begin a session. */
export type SessionOrder = {
  destination: Destination;
  /** The probe that the session is begun for. */
  first: PendingProbe;
  supply: ProbeSupply;
  /** Tells the conversations of one process apart. */
  number: number;
};

/** The parts of every session on a route. */
export type SessionParts = ConversationParts & {
  /** The way out, with our name and sender there. */
  route: Route;
  mailPort: Pick<MailPortWatch, 'note'>;
  /** STARTTLS whenever it is offered, or only if a host demands it. */
  starttls: 'demanded' | 'always';
  hosts: HostMemory;
  facts: DomainFacts;
  classify: ReplyClassifier;
  /** Returns a local part that no mailbox has; the same each time, so that a greylisting host knows it again. */
  madeUpLocalPart: (domain: CanonicalHost) => string;
};
