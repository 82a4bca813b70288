import type { DomainPosture } from './dns/find-posture.ts';
import type { MailRoute } from './dns/mail-route.ts';
import type { ListFindings } from './lists/load-lists.ts';
import type { ReplyMeaning } from './replies/meaning.ts';
import type { Address, CanonicalHost } from './syntax/address.ts';

/** The place in a conversation of a reply or a fault. */
export type SmtpPhase =
  'connect' | 'banner' | 'ehlo' | 'starttls' | 'mail' | 'rcpt' | 'random_rcpt' | 'rset' | 'quit';

/** A reply that was read, kept for the explanation: printable characters, cut to 200 code points. */
export type ReadReply = {
  phase: SmtpPhase;
  code: number;
  enhanced: string | undefined;
  text: string;
};

/** Why no mail host gave an answer about the mailbox. */
export type NoAnswerReason =
  /** No address could be dialled: refused, no route, silent or forbidden. They read alike on purpose. */
  | 'mx_unreachable'
  /** The host took the connection and then let a deadline pass. */
  | 'smtp_timeout'
  /** The host broke the protocol: garbage, an endless reply, an unexpected reply. */
  | 'protocol_error'
  /** The host hung up before it answered about the mailbox. */
  | 'connection_lost'
  /** A refusal before the mailbox was named (banner, EHLO, MAIL), or one that is not about it. */
  | 'host_refused'
  /** The address needs SMTPUTF8 and the host does not offer it. */
  | 'smtputf8_not_offered'
  /** Every mail host of the domain was asked, and none offers SMTPUTF8: the address cannot be delivered. */
  | 'no_host_offers_smtputf8'
  /** Every mail host of the domain greets with 521: it takes no mail from any client (RFC 7504). */
  | 'hosts_take_no_mail'
  /** The host demands TLS and the handshake failed. */
  | 'tls_failed'
  /** The host is being left alone for a while after what it said or did; nothing was sent. */
  | 'host_resting'
  /** Outbound port 25 is found to be blocked: nothing learnt about any host now would be true. */
  | 'mail_port_blocked'
  /** Our own HELO name or sender is not proven to be ours, and public mail hosts are not asked under another's. */
  | 'identity_unproven'
  /** No egress address that could ask has an owner now. */
  | 'no_prober'
  /** Every egress address that could ask is closed, because block lists have it. */
  | 'egress_closed'
  /** The operator's policy is not to ask this provider. */
  | 'provider_policy'
  /** The provider refuses a mailbox that is known to exist, so its "no such mailbox" is not believed. */
  | 'control_mailbox_refused'
  /** A less preferred mail host takes every recipient, so its yes says nothing; the preferred ones did not answer. */
  | 'backup_accepts_everything'
  /** The provider is known to accept every recipient and to decide after the message: asking would tell nothing. */
  | 'provider_accepts_everything';

/**
 * Whether the same host takes a made-up address too, and the source of that answer: a question, a contrast over two
 * conversations, an earlier answer (`ageMs` old), or the provider's own domains. `undetermined` is an answer of its
 * own, never a `no`.
 */
export type CatchAllAnswer =
  | { kind: 'yes'; from: 'random_probe' | 'memory'; ageMs?: number }
  | { kind: 'no'; from: 'random_probe' | 'contrast' | 'memory' | 'provider_table'; ageMs?: number }
  | { kind: 'undetermined'; meaning: ReplyMeaning | undefined };

/** The result of comparing the reply about the mailbox with other replies of the same host. */
export type Contrast =
  /** Refused without a reason, in the words that a made-up recipient heard, while an ordinary one was accepted. */
  | 'like_made_up'
  /** Refused without a reason, while a made-up recipient was accepted. */
  | 'unlike_made_up'
  /** A made-up recipient is "full" or "disabled" too: that is the host, not the mailbox. */
  | 'same_as_made_up'
  /** "Full" or "disabled", and no made-up recipient was answered beside it. */
  | 'not_compared'
  /** The host said two things of the mailbox of which one at most is true. */
  | 'contradictory';

/** The answer of the domain's mail hosts about the mailbox. */
export type MailboxEvidence =
  | {
      kind: 'answered';
      host: CanonicalHost;
      replies: ReadReply[];
      meaning: ReplyMeaning;
      /** Only asked if the mailbox was accepted. */
      catchAll: CatchAllAnswer;
      contrast?: Contrast;
      /** If the answer is given again: when the host gave it, in milliseconds since 1970. */
      askedAt?: number;
      /** The prober outside that asked, if it was one. */
      askedBy?: string;
    }
  | {
      kind: 'no_answer';
      reason: NoAnswerReason;
      /** The meaning of the refusal, if there was a reply to read. */
      meaning: ReplyMeaning | undefined;
      /** Whether a host was reached at all. */
      connected: boolean;
      /** When the rest ends because of which no host was asked. */
      retryAfterMs?: number;
      host: CanonicalHost | undefined;
      replies: ReadReply[];
    };

/** All that was gathered about an address, stage by stage. A stage that was not reached is absent. */
export type Evidence = {
  address: Address;
  lists: ListFindings;
  /** Absent if the operator denied the address: then no server is asked. */
  route?: MailRoute;
  /** Absent if an earlier stage settled it. */
  mailbox?: MailboxEvidence;
  /** Only looked up for a catch-all, as little else tells one domain from another there. */
  posture?: DomainPosture;
};

/** The evidence of a caller whose time is up before its probe is answered. */
export const lateEvidence: MailboxEvidence = {
  kind: 'no_answer',
  reason: 'smtp_timeout',
  meaning: undefined,
  connected: true,
  host: undefined,
  replies: [],
};
