import {
  canonicalHost,
  classifyReply,
  type CanonicalHost,
  type MailboxEvidence,
  type ReadReply,
} from '@mailproof/engine';
import type { SandboxMailbox } from './answers.ts';

/** The mail host of every domain in the sandbox. Its name says what it is. */
export const sandboxHost: CanonicalHost = namedHost('mx.sandbox.test');

const accepted: ReadReply = { phase: 'rcpt', code: 250, enhanced: '2.1.5', text: 'OK' };
const randomProbeRefused: ReadReply = {
  phase: 'random_rcpt',
  code: 550,
  enhanced: '5.1.1',
  text: 'No such user',
};
const randomProbeAccepted: ReadReply = { ...accepted, phase: 'random_rcpt' };

/** What comes of asking for the mailbox; the replies are read by the engine's own rules. */
export function evidenceFor(mailbox: SandboxMailbox | undefined): MailboxEvidence {
  switch (mailbox?.kind) {
    case undefined:
      return answered([accepted, randomProbeRefused], { kind: 'no', from: 'random_probe' });
    case 'takes_every_address':
      return answered([accepted, randomProbeAccepted], { kind: 'yes', from: 'random_probe' });
    case 'replies':
      return answered([{ phase: 'rcpt', ...mailbox.reply }], { kind: 'undetermined', meaning: undefined });
    case 'cannot_be_reached':
      return noAnswer('mx_unreachable');
    case 'silent_past_the_deadline':
      return noAnswer('smtp_timeout');
    case 'breaks_us':
      throw new Error('the sandbox was asked for a failure');
  }
}

type CatchAllAnswer = (MailboxEvidence & { kind: 'answered' })['catchAll'];

function answered(replies: [ReadReply, ...ReadReply[]], catchAll: CatchAllAnswer): MailboxEvidence {
  const [{ code, enhanced, text }] = replies;
  const meaning = classifyReply({ code, enhanced, text, provider: undefined });
  return { kind: 'answered', host: sandboxHost, replies, meaning, catchAll };
}

function noAnswer(reason: 'mx_unreachable' | 'smtp_timeout'): MailboxEvidence {
  const connected = reason === 'smtp_timeout';
  const host = connected ? sandboxHost : undefined;
  return { kind: 'no_answer', reason, meaning: undefined, connected, host, replies: [] };
}

function namedHost(name: string): CanonicalHost {
  const host = canonicalHost(name);
  if (host === undefined) throw new Error(`${name} is no host name`);
  return host;
}
