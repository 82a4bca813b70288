/**
 * The tempers that have a name, and hosts made to order. Each temper is data for `smtp/`; a world may compose its own.
 * Tempers modelled on a provider use its known replies (texts shortened).
 */
import type { Fault, Injection, Phase, Temper, TlsFault } from './smtp/temper.ts';
import type { HostDescription } from './start-world.ts';

const minuteMs = 60_000;

export const tempers = {
  /** Knows its mailboxes and tells the truth. */
  plain: {},
  catchAll: { catchAll: true },
  noPipelining: { pipelining: false },
  heloOnly: { heloOnly: true },
  smtputf8: { smtputf8: true },
  oneRecipient: { recipientsPerTransaction: 1 },
  starttlsOffered: { starttls: 'offered' },
  starttlsDemanded: { starttls: 'demanded' },

  /** Unknown recipients are refused at once, as if the policy service comes last. */
  greylist: { greylist: { waitMs: 5 * minuteMs, defers: 'known' } },
  greylistEverybody: { greylist: { waitMs: 5 * minuteMs, defers: 'everybody' } },

  /** Replies later than any client waits. */
  tarpit: { replyDelayMs: 15_000 },
  /** Slow and sound. */
  unhurried: { replyDelayMs: 30 },
  drip: { dripEveryMs: 1_000 },

  dead: { dead: true },
  /** Accepts the connection and never speaks. */
  blackhole: { fault: { phase: 'connect', fault: 'silence' } },
  busyBanner: { refusal: { at: 'banner', reply: '450 4.3.2 {host} System busy, try again later' } },
  closedBanner: { refusal: { at: 'banner', reply: '554 5.3.2 {host} No SMTP service here' } },
  http: { fault: { phase: 'banner', fault: 'http' } },
  ssh: { fault: { phase: 'banner', fault: 'ssh' } },

  blockedAtBanner: {
    refusal: { at: 'banner', reply: '554 {host} No SMTP service; IP address {client} is block listed' },
  },
  blockedAtMail: {
    refusal: {
      at: 'mail',
      reply: '550 5.7.1 Messages from [{client}] were refused: on our block list (S3140)',
    },
  },
  /** Postfix checks its lists at MAIL and replies at RCPT (smtpd_delay_reject). */
  blockedAtRcpt: {
    refusal: {
      at: 'rcpt',
      reply: '554 5.7.1 Service unavailable; Client host [{client}] blocked using zen.spamhaus.org',
    },
  },
  /** The same with a real lookup in a list of the world; `blockedAtRcpt` blocks every client. */
  consultsBlockList: {
    refusal: {
      at: 'rcpt',
      reply: '554 5.7.1 Service unavailable; Client host [{client}] blocked using zen.spamhaus.org',
      ifListedBy: 'zen.spamhaus.org',
    },
  },
  /** Outlook.com, to addresses that it has banned until their operator asks for an end of the ban. */
  bansAddress: {
    refusal: {
      at: 'mail',
      reply: '550 5.7.1 Messages from [{client}] were refused: on our block list (S3140)',
      ifListedBy: 'bans.test',
    },
  },
  rateLimited: {
    refusal: {
      at: 'mail',
      reply: '451 4.7.650 The mail server [{client}] is rate limited due to IP reputation',
    },
  },

  /** Postfix: slower after 10 errors, gone after 20. */
  countsErrors: { errorCount: { soft: 10, hard: 20, delayMs: 1_000 } },
  refusesMostlyRefused: { refusesMostlyRefused: { named: 10 } },
  hangsUpAtFirstRefusal: { hangsUpAfterRefusals: 1 },
  hangsUpAtThirdRefusal: { hangsUpAfterRefusals: 3 },

  /** OpenSMTPD's reply to every recipient that it refuses for good. */
  openSmtpdLike: { replies: { unknown: '524 5.2.4 Mailing list expansion problem: <{recipient}>' } },
  /** Haraka, if no plugin answers for the recipient. */
  harakaLike: { replies: { unknown: '550 I cannot deliver mail for <{recipient}>' } },
  /** QQ, per transaction or per conversation; it accepts all other recipients. */
  refusesEverySecond: {
    catchAll: true,
    refusesEverySecond: { of: 'transaction', reply: '550 Rejected' },
  },
  refusesEverySecondOfAll: {
    catchAll: true,
    refusesEverySecond: { of: 'conversation', reply: '550 Rejected' },
  },
  /** GoDaddy: with the same words for unknown recipients and for the lock. */
  locksAtFirstRefusal: {
    locksAfter: { refusals: 1, reply: '550 Recipient not accepted here' },
    replies: { unknown: '550 Recipient not accepted here' },
  },
  /** Postfix with soft_bounce. */
  softBounces: {
    replies: {
      unknown: '450 4.1.1 <{recipient}>: Recipient address rejected: User unknown in virtual mailbox table',
    },
  },
  /** Postfix that asked the next host and got its answer. */
  verificationFailed: {
    replies: {
      unknown:
        '450 4.1.1 <{recipient}>: Recipient address rejected: undeliverable address: host 192.0.2.1 said: 550 5.1.1 User unknown',
    },
  },
  /** Postfix that still waits for the next host. */
  verificationInProgress: {
    replies: {
      unknown:
        '450 4.1.1 <{recipient}>: Recipient address rejected: unverified address: Address verification in progress',
    },
  },
  mimecastUnknown: {
    replies: { unknown: '451 User unknown - https://community.mimecast.com/docs/DOC-1369#451' },
  },

  gmailLike: {
    banner: '220 {host} ESMTP a1-20020a05.1 - gsmtp',
    starttls: 'offered',
    smtputf8: true,
    extensions: ['CHUNKING'],
    replies: {
      exists: '250 2.1.5 OK a1-20020a05.1 - gsmtp',
      unknown:
        '550-5.1.1 The email account that you tried to reach does not exist.\n550 5.1.1 https://support.google.com/mail/?p=NoSuchUser a1-20020a05.1 - gsmtp',
      full: "552-5.2.2 The recipient's inbox is out of storage space and inactive.\n552 5.2.2 https://support.google.com/mail/?p=OverQuotaPerm a1-20020a05.1 - gsmtp",
      full_for_now:
        "452-4.2.2 The recipient's inbox is out of storage space.\n452 4.2.2 https://support.google.com/mail/?p=OverQuotaTemp a1-20020a05.1 - gsmtp",
      disabled:
        '550-5.2.1 The email account that you tried to reach is inactive.\n550 5.2.1 https://support.google.com/mail/?p=DisabledUser a1-20020a05.1 - gsmtp',
      busy: '450-4.2.1 The user you are trying to contact is receiving mail at a rate that\n450 4.2.1 prevents additional messages from being delivered. - gsmtp',
    },
  },
  microsoft365Like: {
    banner: '220 {host} Microsoft ESMTP MAIL Service ready',
    starttls: 'offered',
    smtputf8: true,
    replies: {
      exists: '250 2.1.5 Recipient OK',
      unknown: '550 5.4.1 Recipient address rejected: Access denied. [{host}] AS(201806281)',
      disabled: '550 5.7.505 Access denied, banned recipient',
      full: '554 5.2.2 mailbox full; STOREDRV.Deliver.Exception:QuotaExceededException',
    },
  },
  outlookLike: {
    banner: '220 {host} Microsoft ESMTP MAIL Service ready',
    starttls: 'offered',
    recipientsPerTransaction: 1,
    tooMany: '452 4.5.3 Too many recipients (AS780090) [{host}]',
    replies: {
      unknown: '550 5.5.0 Requested action not taken: mailbox unavailable (S2017062302). [{host}]',
      disabled: '554 5.2.1 mailbox cannot be accessed',
      full: '554 5.2.2 mailbox full',
    },
  },
  /** Accepts every recipient and refuses after DATA, which no verifier reaches. */
  yahooLike: {
    banner: '220 {host} ESMTP ready',
    starttls: 'offered',
    catchAll: true,
    replies: { exists: '250 recipient <{recipient}> ok' },
  },
  /** Greylists without saying so. */
  mimecastLike: {
    starttls: 'offered',
    greylist: {
      waitMs: minuteMs,
      defers: 'everybody',
      reply:
        '451 Internal resources are temporarily unavailable - https://community.mimecast.com/docs/DOC-1369#451',
    },
    replies: { unknown: '550 Invalid Recipient - https://community.mimecast.com/docs/DOC-1369#550' },
  },
  /** Says 5.1.1 for a full mailbox. */
  comcastLike: {
    replies: {
      unknown: '550 5.1.1 <{recipient}> recipient mailbox unallocated',
      full: '552 5.1.1 <{recipient}> extended quota violation',
      full_for_now: '452 4.1.1 <{recipient}> user over quota',
      busy: '452 4.1.1 <{recipient}> too many recent messages',
      disabled: '550 5.2.0 <{recipient}> Recipient unavailable',
    },
  },
  /** Says 5.7.1, a policy code, for a mailbox that does not exist. */
  yandexLike: {
    replies: {
      unknown: '550 5.7.1 No such user!',
      full: '552 5.2.2 Mailbox size limit exceeded',
      busy: '450 4.2.1 The recipient has exceeded their message rate limit',
    },
  },
} as const satisfies Record<string, Temper>;

/** The mailboxes of hosts made to order, for matrices and fuzzing. */
const mailboxes = { alive: 'exists' } as const;

/** Returns a host with one cell of the matrix: the fault strikes in that phase only. */
export function faultHost(phase: Phase, fault: Fault, dripEveryMs = 1_000): HostDescription {
  const at = { phase, fault, dripEveryMs };
  return { mailboxes, temper: phase === 'starttls' ? { starttls: 'demanded', fault: at } : { fault: at } };
}

/** Returns a host at which STARTTLS goes wrong, demanded or only offered. */
export function tlsFaultHost(
  tlsFault: TlsFault,
  starttls: 'demanded' | 'offered' = 'demanded',
): HostDescription {
  return { mailboxes, temper: { starttls, tlsFault } };
}

/** Returns a host that sends a reply without a command, in plaintext or inside TLS. */
export function injectedHost(injection: Injection, over: 'plaintext' | 'tls' = 'plaintext'): HostDescription {
  if (over === 'plaintext') return { mailboxes, temper: { injection } };
  return { mailboxes, temper: { starttls: 'demanded', injection: { ...injection, insideTls: true } } };
}

/** Returns a host with replies mangled from the seed. A quarter of the seeds lack PIPELINING, a quarter demand TLS. */
export function fuzzHost(seed: number): HostDescription {
  const kind = Math.abs(seed) % 4;
  return {
    mailboxes,
    temper: {
      fuzzSeed: seed,
      pipelining: kind !== 1,
      ...(kind === 2 ? { starttls: 'demanded' } : {}),
    },
  };
}
