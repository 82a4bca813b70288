import {
  canonicalHost,
  classifyReply,
  type CanonicalHost,
  type MailboxEvidence,
  type ReadReply,
  type Visit,
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
export function visitMailbox(mailbox: SandboxMailbox | undefined): Visit {
  switch (mailbox?.kind) {
    case undefined:
      return answered([accepted, randomProbeRefused], { kind: 'no', from: 'random_probe' });
    case 'takes_every_address':
      return answered([accepted, randomProbeAccepted], { kind: 'yes', from: 'random_probe' });
    case 'replies':
      return answered([{ phase: 'rcpt', ...mailbox.reply }], { kind: 'undetermined', meaning: undefined });
    case 'cannot_be_reached':
      return { kind: 'not_connected' };
    case 'silent_past_the_deadline':
      return timedOut;
    case 'breaks_us':
      throw new Error('the sandbox was asked for a failure');
  }
}

type CatchAllAnswer = (MailboxEvidence & { kind: 'answered' })['catchAll'];

function answered(replies: [ReadReply, ...ReadReply[]], catchAll: CatchAllAnswer): Visit {
  const [{ code, enhanced, text }] = replies;
  const meaning = classifyReply({ code, enhanced, text, provider: undefined });
  const evidence = { kind: 'answered', host: sandboxHost, replies, meaning, catchAll } as const;
  return { kind: 'answered', evidence };
}

const timedOut: Visit = {
  kind: 'no_answer',
  next: 'stop',
  evidence: {
    kind: 'no_answer',
    reason: 'smtp_timeout',
    meaning: undefined,
    connected: true,
    host: sandboxHost,
    replies: [],
  },
};

function namedHost(name: string): CanonicalHost {
  const host = canonicalHost(name);
  if (host === undefined) throw new Error(`${name} is no host name`);
  return host;
}
