/**
 * The tempers that have a name. Each is data for the one small engine in `smtp/`; a world may
 * compose its own. Those modelled on a provider say what that provider is known to say
 * (texts shortened).
 */
import type { Temper } from './smtp/temper.ts';

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

  /** Unknown recipients are refused at once, as where the policy service comes last. */
  greylist: { greylist: { waitMs: 5 * minuteMs, defers: 'known' } },
  greylistEverybody: { greylist: { waitMs: 5 * minuteMs, defers: 'everybody' } },

  /** Speaks, but later than anybody waits. */
  tarpit: { replyDelayMs: 15_000 },
  /** Slow and sound. */
  unhurried: { replyDelayMs: 30 },
  drip: { dripEveryMs: 1_000 },

  dead: { dead: true },
  /** Takes the connection and never speaks. */
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
  /** Postfix checks its lists at MAIL and tells at RCPT (smtpd_delay_reject). */
  blockedAtRcpt: {
    refusal: {
      at: 'rcpt',
      reply: '554 5.7.1 Service unavailable; Client host [{client}] blocked using zen.spamhaus.org',
    },
  },
  /** The same by a list of the world that it really asks; `blockedAtRcpt` says so of everybody. */
  consultsBlockList: {
    refusal: {
      at: 'rcpt',
      reply: '554 5.7.1 Service unavailable; Client host [{client}] blocked using zen.spamhaus.org',
      ifListedBy: 'zen.spamhaus.org',
    },
  },
  /** Outlook.com, to addresses that it has banned until somebody asks for the end of that. */
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

  /** OpenSMTPD says so of every recipient that it refuses for good. */
  openSmtpdLike: { replies: { unknown: '524 5.2.4 Mailing list expansion problem: <{recipient}>' } },
  /** Haraka, where no plugin answers for the recipient. */
  harakaLike: { replies: { unknown: '550 I cannot deliver mail for <{recipient}>' } },
  /** QQ, of a transaction or of the whole conversation; takes everybody else. */
  refusesEverySecond: {
    catchAll: true,
    refusesEverySecond: { of: 'transaction', reply: '550 Rejected' },
  },
  refusesEverySecondOfAll: {
    catchAll: true,
    refusesEverySecond: { of: 'conversation', reply: '550 Rejected' },
  },
  /** GoDaddy: in the words in which it refuses whom it does not know. */
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
  /** Postfix that asks the next host, and was told. */
  verificationFailed: {
    replies: {
      unknown:
        '450 4.1.1 <{recipient}>: Recipient address rejected: undeliverable address: host 192.0.2.1 said: 550 5.1.1 User unknown',
    },
  },
  /** The same while it has not yet been told. */
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
  /** Says yes to all and refuses after DATA, which no verifier gets to see. */
  yahooLike: {
    banner: '220 {host} ESMTP ready',
    starttls: 'offered',
    catchAll: true,
    replies: { exists: '250 recipient <{recipient}> ok' },
  },
  /** Greylists in words that do not say so. */
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
  /** Says 5.1.1 of a mailbox that is full. */
  comcastLike: {
    replies: {
      unknown: '550 5.1.1 <{recipient}> recipient mailbox unallocated',
      full: '552 5.1.1 <{recipient}> extended quota violation',
      full_for_now: '452 4.1.1 <{recipient}> user over quota',
      busy: '452 4.1.1 <{recipient}> too many recent messages',
      disabled: '550 5.2.0 <{recipient}> Recipient unavailable',
    },
  },
  /** Says 5.7.1, a policy code, of a mailbox that does not exist. */
  yandexLike: {
    replies: {
      unknown: '550 5.7.1 No such user!',
      full: '552 5.2.2 Mailbox size limit exceeded',
      busy: '450 4.2.1 The recipient has exceeded their message rate limit',
    },
  },
} as const satisfies Record<string, Temper>;
