import { demandsTls, encrypt, type Conversation, type Failure } from '../smtp/conversation.ts';
import type { Reply } from '../smtp/reply-reader.ts';
import type { SmtpSession } from './session.ts';

/** When a session speaks TLS: where it is our wish, and wherever in the conversation a host demands it. */
export function whyEncrypt(
  { parts }: SmtpSession,
  { capabilities, host }: Conversation,
): TlsReason | undefined {
  if (!capabilities.starttls) return undefined;
  const { tls } = parts.hosts.recall(host);
  if (tls === 'demanded') return 'their_demand';
  return parts.starttls === 'always' && tls !== 'broken' ? 'our_wish' : undefined;
}

type TlsReason = 'their_demand' | 'our_wish';

/**
 * Encrypts the conversation. Where TLS was our own wish, a host that turns it down in good order is
 * spoken to in the clear; a handshake that broke costs the connection, and is remembered.
 */
export async function encryptFor(
  why: TlsReason,
  { parts, probes }: SmtpSession,
  conversation: Conversation,
): Promise<Failure | undefined> {
  const failure = await encrypt(conversation, parts, probes.patience);
  if (failure === undefined || why === 'their_demand') return failure;
  parts.hosts.learn(conversation.host, { tls: 'broken' });
  return failure.kind === 'refused' && failure.reply.code !== 421 ? undefined : failure;
}

/** A refusal that asks for STARTTLS is remembered, and obeyed at once where the conversation still stands. */
export function isDemandForTls(
  failure: Failure,
  { parts }: SmtpSession,
  conversation: Conversation,
): boolean {
  if (failure.kind !== 'refused' || conversation.encrypted || !demandsTls(failure.reply)) return false;
  parts.hosts.learn(conversation.host, { tls: 'demanded' });
  return failure.reply.code !== 421 && conversation.capabilities.starttls;
}

/** Some hosts say so to each recipient only. Where TLS is not on offer, it is an answer like any other. */
export function isDemandAtRecipient(reply: Reply, { encrypted, capabilities }: Conversation): boolean {
  return !encrypted && capabilities.starttls && demandsTls(reply);
}
