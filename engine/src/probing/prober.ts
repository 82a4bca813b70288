import type { MailRoute } from '../dns/mail-route.ts';
import type { MailboxEvidence } from '../evidence.ts';
import type { Asker } from '../fair-queue.ts';
import type { Patience } from '../patience.ts';
import type { Address } from '../syntax/address.ts';
import { askMailbox, type AskMailboxParts } from './ask-mailbox.ts';

/** One question: a mailbox at a domain whose mail hosts are known, and who wants to know. */
export type Probe = {
  address: Address;
  route: MailRoute & { kind: 'takes_mail' };
  asker: Asker;
  /** The egress address that should ask, where somebody has chosen among several probers'; else the prober chooses. */
  egress?: string | undefined;
};

/**
 * What asks mail hosts. It owns the addresses that conversations leave from and is polite on each of them; it knows
 * nothing of verdicts, accounts' credits or results. The one of this process is a function call away; another may
 * stand in a process or a network of its own.
 */
export type Prober = { ask(probe: Probe, patience: Patience): Promise<MailboxEvidence> };

export function createLocalProber(parts: AskMailboxParts): Prober {
  return { ask: (probe, patience) => askMailbox(probe, parts, patience) };
}
