import type { CatchAllAnswer } from '../evidence.ts';
import type { Patience } from '../patience.ts';
import type { ReplyMeaning } from '../replies/meaning.ts';
import { providerOf } from '../replies/providers.ts';
import type { Address } from '../syntax/address.ts';
import type { CatchAllMemory } from './catch-all-memory.ts';
import type { HostMemory } from './host-traits.ts';
import type { Journal } from './journal.ts';
import type { Conversation, ConversationParts, Setback } from './open-conversation.ts';
import type { Reply } from './reply-reader.ts';
import { isAccepted, runTransaction, type Recipient, type Transaction } from './run-transaction.ts';

/**
 * Asks for the mailbox, and for an address that nobody has, to learn whether strangers are taken too.
 *
 * The target is named first, so that a host which hangs up at the first refusal has answered for it.
 * Both go in one transaction; a host that takes one recipient at a time is asked for the stranger in a
 * transaction of its own. Nobody is asked what is remembered or what the provider table knows.
 */
export type AskParts = ConversationParts & {
  mailFrom: string;
  hosts: HostMemory;
  catchAll: CatchAllMemory;
  /** A local part that no mailbox has. */
  randomLocalPart(): string;
};

export type Asked = { kind: 'answered'; meaning: ReplyMeaning; catchAll: CatchAllAnswer } | Setback;

type Asking = {
  conversation: Conversation;
  address: Address;
  journal: Journal;
  parts: AskParts;
  patience: Patience;
};

export async function askRecipients(asking: Asking): Promise<Asked> {
  const { conversation, address, journal, parts } = asking;
  const known = knownCatchAll(asking);
  const together = known === undefined && !takesOneRecipient(asking);
  const target: Recipient = { ...address, phase: 'rcpt' };
  const stranger: Recipient = {
    ...address,
    localPart: parts.randomLocalPart(),
    needsSmtputf8: false,
    phase: 'random_rcpt',
  };

  const first = await transact(asking, together ? [target, stranger] : [target], false);
  const [targetReply, strangerReply] = first.recipients;
  if (first.mail !== undefined && !isAccepted(first.mail))
    return { kind: 'refused', phase: 'mail', reply: first.mail };
  if (targetReply === undefined) return { kind: 'broken', ...brokenIn(first) };
  if (targetReply.code === 421) return { kind: 'refused', phase: 'rcpt', reply: targetReply };

  const meaning = journal.note('rcpt', targetReply);
  if (known !== undefined) return { kind: 'answered', meaning, catchAll: known };
  if (strangerReply !== undefined && !wantsOwnTransaction(strangerReply)) {
    return { kind: 'answered', meaning, catchAll: readStranger(asking, strangerReply) };
  }
  if (meaning.label !== 'accepted') return { kind: 'answered', meaning, catchAll: notAsked };
  if (strangerReply !== undefined) parts.hosts.learn(conversation.host, { oneRecipient: true });
  const second = await transact(asking, [stranger], true);
  const [own] = second.recipients;
  const catchAll = own === undefined ? notAsked : readStranger(asking, own);
  return { kind: 'answered', meaning, catchAll };
}

const notAsked: CatchAllAnswer = { kind: 'undetermined', meaning: undefined };

function transact(asking: Asking, recipients: Recipient[], rset: boolean): Promise<Transaction> {
  const { conversation, parts, patience } = asking;
  return runTransaction(conversation, { from: parts.mailFrom, recipients, rset }, { parts, patience });
}

function brokenIn({
  broken,
}: Transaction): { phase: Setback['phase']; fault: 'closed' } | NonNullable<Transaction['broken']> {
  return broken ?? { phase: 'rcpt', fault: 'closed' };
}

/** What is known without asking: by memory, or because the provider is known to refuse strangers. */
function knownCatchAll({ address, conversation, parts }: Asking): CatchAllAnswer | undefined {
  const remembered = parts.catchAll.recall(address.host);
  if (remembered !== undefined) return { kind: remembered, from: 'memory' };
  const provider = providerOf(conversation.host);
  const truthful =
    provider?.truthfulDomains?.includes(address.host) ?? provider?.refusesStrangers === 'truthfully';
  return truthful ? { kind: 'no', from: 'provider_table' } : undefined;
}

function takesOneRecipient({ conversation: { host }, parts }: Asking): boolean {
  return parts.hosts.recall(host).oneRecipient === true || providerOf(host)?.recipientsPerTransaction === 1;
}

/**
 * A stranger that is taken makes the domain a catch-all; one refused as a mailbox that does not exist
 * makes it none. A refusal for any other reason says nothing either way, and is not remembered.
 */
function readStranger({ address, journal, parts }: Asking, reply: Reply): CatchAllAnswer {
  const meaning = journal.note('random_rcpt', reply);
  if (meaning.label !== 'accepted' && meaning.label !== 'mailbox_not_exist')
    return { kind: 'undetermined', meaning };
  const kind = meaning.label === 'accepted' ? 'yes' : 'no';
  parts.catchAll.learn(address.host, kind);
  return { kind, from: 'random_probe' };
}

const onlyOneWords =
  /\b(?:too many recipients|one recipient|single recipient|separate transaction|multiple (?:destination|recipient))/i;

/** "Too many recipients" after the first one: the host would answer in another transaction (RFC 3463 x.5.3). */
function wantsOwnTransaction({ code, enhanced, lines }: Reply): boolean {
  if (code < 400 || code === 421) return false;
  return code === 452 || enhanced?.endsWith('.5.3') === true || onlyOneWords.test(lines.join(' '));
}
