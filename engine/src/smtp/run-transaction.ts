import type { SmtpPhase } from '../evidence.ts';
import type { Patience } from '../patience.ts';
import type { Address } from '../syntax/address.ts';
import type { Command } from './command.ts';
import type { Fault } from './connection.ts';
import { readReply, type Conversation, type ConversationParts } from './open-conversation.ts';
import type { Reply } from './reply-reader.ts';

/**
 * One mail transaction that names recipients and never sends a message: MAIL, then RCPT for each.
 *
 * With PIPELINING (RFC 2920) all commands leave in one segment and cost one round trip; without it
 * each waits for the reply before. Replies are read in order; where the line breaks, what was read
 * until then is kept.
 */
export type Recipient = Pick<Address, 'localPart' | 'host' | 'needsSmtputf8'> & {
  phase: 'rcpt' | 'random_rcpt';
};

export type Transaction = {
  mail: Reply | undefined;
  /** One reply a recipient, in order; fewer where MAIL was refused or the line broke. */
  recipients: Reply[];
  broken: { phase: SmtpPhase; fault: Fault } | undefined;
};

export type TransactionRequest = {
  from: string;
  recipients: Recipient[];
  /** A transaction stands open that has to be cleared first. */
  rset: boolean;
};

type Step = { phase: SmtpPhase; command: Command; waitMs: number };

export async function runTransaction(
  conversation: Conversation,
  request: TransactionRequest,
  { parts, patience }: { parts: ConversationParts; patience: Patience },
): Promise<Transaction> {
  const { connection, capabilities } = conversation;
  const steps = stepsOf(request, parts);
  const transaction: Transaction = { mail: undefined, recipients: [], broken: undefined };
  if (capabilities.pipelining) connection.send(steps.map((step) => step.command));
  for (const step of steps) {
    if (!capabilities.pipelining) connection.send([step.command]);
    const answer = await readReply(connection, step, { clock: parts.clock, patience });
    if (answer.kind === 'broken') return { ...transaction, broken: answer };
    if (step.phase === 'mail') transaction.mail = answer.reply;
    if (step.phase === 'rcpt' || step.phase === 'random_rcpt') transaction.recipients.push(answer.reply);
    // In step with the host there is no point in naming recipients to a transaction it refused.
    if (step.phase === 'mail' && !isAccepted(answer.reply) && !capabilities.pipelining) break;
  }
  return transaction;
}

export function isAccepted(reply: Reply): boolean {
  return reply.code >= 200 && reply.code < 300;
}

function stepsOf({ from, recipients, rset }: TransactionRequest, { limits }: ConversationParts): Step[] {
  const smtputf8 = recipients.some((recipient) => recipient.needsSmtputf8);
  return [
    ...(rset ? [{ phase: 'rset', command: { verb: 'RSET' }, waitMs: limits.rsetMs } as const] : []),
    { phase: 'mail', command: { verb: 'MAIL', from, smtputf8 }, waitMs: limits.mailMs },
    ...recipients.map(({ phase, localPart, host }): Step => ({
      phase,
      command: { verb: 'RCPT', localPart, host, smtputf8 },
      waitMs: limits.rcptMs,
    })),
  ];
}
