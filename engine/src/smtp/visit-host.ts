import type { MailTarget } from '../dns/mail-route.ts';
import type { Dialer } from '../egress/create-dialer.ts';
import type { MailboxEvidence, NoAnswerReason } from '../evidence.ts';
import type { Patience } from '../patience.ts';
import type { Address } from '../syntax/address.ts';
import { askRecipients, type AskParts } from './ask-recipients.ts';
import type { Fault } from './connection.ts';
import { demandsTls } from './demands-tls.ts';
import { startJournal, type Journal } from './journal.ts';
import { encrypt, openConversation, type Conversation, type Setback } from './open-conversation.ts';
import { sayGoodbye } from './say-goodbye.ts';

/**
 * One conversation with one mail host about one address: dial, greet, encrypt where it is wanted, ask,
 * say goodbye.
 */
export type VisitParts = AskParts & {
  dialer: Dialer;
  /** STARTTLS wherever it is offered, or only where a host demands it. */
  starttls: 'demanded' | 'always';
};

/** Where to turn after a visit that gave no answer. */
export type Turn = 'stop' | 'next_host' | 'same_host';

export type Visit =
  | { kind: 'not_connected' }
  | { kind: 'answered'; evidence: MailboxEvidence & { kind: 'answered' } }
  | { kind: 'no_answer'; evidence: MailboxEvidence & { kind: 'no_answer' }; turn: Turn };

type Visiting = {
  conversation: Conversation;
  address: Address;
  journal: Journal;
  parts: VisitParts;
  patience: Patience;
};
type SetbackOr<Other> = Other | Setback | { kind: 'smtputf8_not_offered' };

export async function visitHost(
  { address, target }: { address: Address; target: MailTarget },
  parts: VisitParts,
  patience: Patience,
): Promise<Visit> {
  const dialled = await parts.dialer.dial(target, patience);
  if (dialled.kind === 'failed') return { kind: 'not_connected' };
  const { host } = target;
  const journal = startJournal(host, parts.limits);
  const opened = await openConversation({ socket: dialled.socket, host }, parts, patience);
  const connection = opened.kind === 'open' ? opened.conversation.connection : opened.connection;
  try {
    const asked =
      opened.kind === 'open'
        ? await ask({ conversation: opened.conversation, address, journal, parts, patience })
        : opened;
    // After a 421 the host has said its own goodbye (RFC 5321 section 3.8).
    const goodbye = said421(asked) ? 'in_step' : await sayGoodbye(connection, parts, patience);
    if (goodbye === 'out_of_step')
      return noAnswer({ kind: 'broken', phase: 'quit', fault: 'protocol_error' }, { host, journal, parts });
    if (asked.kind !== 'answered') return noAnswer(asked, { host, journal, parts });
    return { kind: 'answered', evidence: { ...asked, host, replies: journal.replies } };
  } finally {
    connection.destroy();
  }
}

async function ask(visiting: Visiting): Promise<SetbackOr<Awaited<ReturnType<typeof askRecipients>>>> {
  const { conversation, address, parts } = visiting;
  const traits = parts.hosts.recall(conversation.host);
  const wanted = traits.tls === 'demanded' || (parts.starttls === 'always' && traits.tls !== 'broken');
  if (wanted && conversation.capabilities.starttls) {
    const setback = await secure(visiting, traits.tls === 'demanded');
    if (setback !== undefined) return setback;
  }
  if (address.needsSmtputf8 && !conversation.capabilities.smtputf8) return { kind: 'smtputf8_not_offered' };
  const asked = await askRecipients(visiting);
  if (asked.kind !== 'refused' || conversation.encrypted || !demandsTls(asked.reply)) return asked;
  parts.hosts.learn(conversation.host, { tls: 'demanded' });
  if (asked.reply.code === 421 || !conversation.capabilities.starttls) return asked;
  return (await secure(visiting, true)) ?? (await askRecipients(visiting));
}

/**
 * Encrypts the conversation. Where TLS was our own wish, a host that turns it down in good order is
 * spoken to in the clear; a handshake that broke costs the connection, and is remembered.
 */
async function secure(
  { conversation, parts, patience }: Visiting,
  demanded: boolean,
): Promise<Setback | undefined> {
  const secured = await encrypt(conversation, parts, patience);
  if (secured.kind === 'encrypted') return undefined;
  if (demanded) return secured;
  parts.hosts.learn(conversation.host, { tls: 'broken' });
  return secured.kind === 'refused' && secured.reply.code !== 421 ? undefined : secured;
}

function said421(asked: SetbackOr<{ kind: 'answered' }>): boolean {
  return asked.kind === 'refused' && asked.reply.code === 421;
}

type NoAnswerContext = { host: MailTarget['host']; journal: Journal; parts: VisitParts };

function noAnswer(setback: Setback | { kind: 'smtputf8_not_offered' }, context: NoAnswerContext): Visit {
  const { host, journal, parts } = context;
  const common = { kind: 'no_answer', connected: true, host } as const;
  switch (setback.kind) {
    case 'smtputf8_not_offered':
      return {
        kind: 'no_answer',
        turn: 'stop',
        evidence: { ...common, reason: setback.kind, meaning: undefined, replies: journal.replies },
      };
    case 'broken': {
      const reason = reasonOf(setback.fault);
      return {
        kind: 'no_answer',
        turn: turnAfterFault(setback, context),
        evidence: { ...common, reason, meaning: undefined, replies: journal.replies },
      };
    }
    case 'refused': {
      const meaning = journal.note(setback.phase, setback.reply);
      // Before the mailbox was named no refusal can be about it, whatever words it borrows.
      const aboutUs = meaning.label === 'blocked_or_policy' || meaning.label === 'greylisted_or_temporary';
      const tlsAgain =
        demandsTls(setback.reply) &&
        setback.reply.code === 421 &&
        parts.hosts.recall(host).tls === 'demanded';
      return {
        kind: 'no_answer',
        turn: tlsAgain ? 'same_host' : turnAfterRefusal(setback),
        evidence: {
          ...common,
          reason: 'host_refused',
          meaning: aboutUs ? meaning : undefined,
          replies: journal.replies,
        },
      };
    }
  }
}

function reasonOf(fault: Fault): NoAnswerReason {
  switch (fault) {
    case 'timeout':
      return 'smtp_timeout';
    case 'closed':
      return 'connection_lost';
    case 'protocol_error':
    case 'tls_failed':
      return fault;
  }
}

/** Another host may do better where this one hung up or never greeted; one that breaks the protocol is left alone. */
function turnAfterFault(
  { phase, fault }: Setback & { kind: 'broken' },
  { host, parts }: NoAnswerContext,
): Turn {
  if (phase === 'starttls' && parts.hosts.recall(host).tls === 'broken') return 'same_host';
  if (fault === 'closed') return 'next_host';
  return fault === 'timeout' && phase === 'banner' ? 'next_host' : 'stop';
}

function turnAfterRefusal({ phase, reply }: Setback & { kind: 'refused' }): Turn {
  const temporary = reply.code < 500;
  return reply.code === 421 || (temporary && (phase === 'banner' || phase === 'ehlo')) ? 'next_host' : 'stop';
}
