/**
 * The mailbox exists and is full. These words outrank the codes around them: Comcast and Orange say it under 5.1.1,
 * others under 5.7.1 or no enhanced code at all. The mailbox itself must be full, though: a server out of disk space
 * (RFC 3463 x.3.1) or a sender out of his daily allowance says nothing of the recipient.
 */
import { fullAbroad } from './languages/all-languages.ts';
import type { Rule } from './rule.ts';

/** Other quotas: of a connection, a minute, a sender or a server's disk. */
const sendersAllowance = {
  '(sending|sender|outgoing|outbound|submission|relay|daily|hourly|smtp|rate|connection|session|transaction|your|queue|organization|tenant|throttl*|throughput|bandwidth|message rate|recipient rate|per minute|client|traffic|api|request|command|error) (message|email|mail|recipient|rate|sending|user|queue|limit)? quota':
    '450 Sender quota exceeded',
  '(ip|ips|ipaddr|client|host) (address)? (addr)? quota': '450 The IP quota is exceeded',
  'quota ~ (per (second|hour|day|minute|connection|session|ip|sender|host|client)|(for|of|from|by|on) (the|this|your|that|each|one|a|any)? (sending|senders?|connections?|sessions?|transactions?|ip|ips|ipaddr|hosts?|clients?|networks?|hour|day|minute|messages from|mail from)|of messages)':
    '450 The quota of messages is exceeded',
  '(per|each|every|this|last|past|in one|in an|within an?|within one) (second|minute|hour|day|24 hours|connection|session|transaction|ip|sender|client|host)':
    '450 This mailbox exceeds the number of messages allowed per minute',
  '(messages?|mails?|emails?|recipients?) (a|an) (second|minute|hour|day)':
    '450 This account is over the limit of 20 messages a minute',
  '(system|server|spool|queue|service|filesystem|partition|log|mail queue) (storage|disk|space|is full|full)':
    '452 4.2.2 The spool is full',
};

export const mailboxFullRules: readonly Rule[] = [
  {
    reason: 'over_quota',
    label: 'mailbox_full',
    when: {
      text: {
        '(over|overquota|overdrawn|out of|beyond|above|exceed*|reached|surpass*) ~ (quota|quotas)':
          '552 5.2.2 <someone@example.com>: user is over quota',
        '(quota|quotas) (is|has been|was|limit|size|is currently|has|have|been|for|of)? ~ (exceeded|full|reached|violation|exhausted|over|exceed*|hit)':
          '552 5.1.1 <someone@example.com> recipient has an extended quota violation',
        '(overquota|over-quota|*quotaexceeded*|*overquota*|quota-exceeded|*shutoffquota*)':
          '554 5.2.0 delivery failed: MapiExceptionShutoffQuotaExceeded: 16.55847',
        '(storage|disk|mailbox|mail|user|recipient) quota':
          '522 5.7.1 someone@example.com: disk quota has been used up',
        '(extended)? quota violation':
          '552 5.1.1 <someone@example.com> recipient has an extended quota violation',
        'would (exceed|be over|put ~ over) ~ (quota|mailbox|storage|limit for this user)':
          '452 4.2.2 Delivery would put someone over quota',
        'not enough quota': '552 not enough quota for someone',
        '*quota (is|was|has been)? exceed*': '550 5.7.1 Quota exceeded for this mailbox',
      },
      unless: sendersAllowance,
    },
  },
  {
    reason: 'mailbox_full',
    label: 'mailbox_full',
    when: {
      text: {
        '(mailbox|inbox|box|maildir|mailfolder|folder|account|mbox|mailbox size|mail store) (of|for)? ~ (full|overfull|overflow*|filled up)':
          '552 5.2.2 Mailbox full',
        '(mailbox|inbox|user|recipient|account|addr) ~ (is|was|are) ~ full':
          '550 5.1.1 The mailbox of the recipient is full, try again later',
        '(full|overfull) (mailbox|inbox|maildir)': '554 delivery failed: full mailbox',
        '(mailbox|inbox|account|maildir) ~ (exceed*|over|reached|above|surpass*|passed|at) ~ (limit|limits|size|maximum|max|capacity|storage|allocation|space|allowed)':
          '550 This mailbox has exceeded the maximum size',
        '(exceed*|over|reached|at|above) ~ (mailbox|storage) (size|limit|limits|allocation|capacity|space|maximum)':
          '554 5.7.1 <someone@example.com> has exceeded storage limit',
        '(mailbox|account|storage) (size|storage)? (limit|capacity|allocation|allowance) (is|was|has been)? (exceeded|reached|full)':
          '552 Mailbox limit exceeded for this email address',
        '(exceeded|exceeds|exhausted|used up) (its|his|her|their|the|all)? ~ (storage|disk space|space) (allocation|limit|capacity|space|allowed|allowance)?':
          '552 Requested mail action aborted: exceeded storage allocation',
        '{who} ~ (out of|no|insufficient|lack of|not enough|lacks|lack|without) ~ (storage|space|room|disk space)':
          '452 4.2.2 The inbox of this recipient is out of storage space',
        '(not enough|insufficient|no|out of) ~ (space|storage|room) ~ (mailbox|inbox|user|recipient|account)':
          '550 Not enough storage space for this user',
        '{who} ~ has too (many|much) (messages|mail|mails|emails|data) ~ (mailbox|inbox|on server|stored|on the server)?':
          '550 someone@example.com has too many messages on the server',
        '(too many|too much) (messages|mail|mails|mail data) ~ (mailbox|inbox|stored)':
          '550 There are too many messages in the mailbox',
        'mail file ~ exceed*': '552 The mail file exceeds its maximum',
        '{who} ~ (space|storage|allowance|allotment) (is|was|has|has been|have been)? (been)? (all)? (used up|exhausted|consumed|gone)':
          "550 The user's space has been used up",
        'too much mail data': '552 Too much mail data',
        'mailbox ~ (too|very) (large|big|full)': '550 The mailbox has grown too large',
        '(message|mail|email) count ~ (mailbox|exceeded)': '552 The message count of the mailbox is exceeded',
        '(mailbox|user|account) (is)? over (the|its)? (limit|maximum|allowed)':
          '550 5.1.1 user is over the limit',
        '(mailbox|inbox|account) is (currently)? (over|at) capacity':
          '550 The inbox is currently at capacity',
        '{who} ~ (does not|not) have (enough|sufficient|any) (space|storage|room|disk space)':
          '552 someone@example.com does not have enough room',
        '{who} ~ (reached|hit) ~ (storage|space|quota)':
          '552 The recipient has reached the storage he paid for',
        '(mailbox|inbox|account) (size|storage|space) (is|was|has been)? (exceeded|used up|full)':
          '550 Mailbox space used up',
        '(storage|space|size) limit (for|of) ~ (reached|exceeded)':
          '552 Size limit for this mailbox was reached',
        '(allocated|available|allotted) (disk|storage)? (space|storage) (is|was|has been)? (exhausted|exceeded|used up|full)':
          '550 The allotted space is exhausted',
        '(blocks?|inodes?|disk|storage|mailbox) (size|usage|space)? (limit|limits) (is|was|has been)? exceed*':
          '552 #5.1.0 Mailbox size limit exceeded',
        '(mail|recipient|mailbox|user|account) (storage|space) (is|was|has been)? (full|exceeded|not enough|insufficient|exhausted)':
          '550 User space insufficient',
      },
      unless: sendersAllowance,
    },
  },
  {
    reason: 'mailbox_full',
    label: 'mailbox_full',
    when: { text: fullAbroad, unless: sendersAllowance },
    samples: ['552 5.2.2 La boîte aux lettres de ce client est saturée'],
  },
  {
    // RFC 5321 section 4.2.3 keeps 552 for storage; with words of space it is the mailbox that is meant.
    reason: 'over_quota',
    label: 'mailbox_full',
    when: {
      codes: [552],
      text: {
        '(not enough|insufficient|no|out of) (disk|storage|free)? space': '552 Not enough space',
        'disk (is)? full': '552 disk full',
      },
    },
  },
  {
    // RFC 3463 x.2.2. Only rate texts use it for something else, and those are read before.
    reason: 'over_quota',
    label: 'mailbox_full',
    when: {
      enhanced: ['*.2.2'],
      unless: {
        ...sendersAllowance,
        '{who} ~ (does not exist|unknown|not found)': '550 5.2.2 The mailbox does not exist',
        '{who} ~ (inactive|disabled|suspended|deactivated|frozen|closed|blocked|locked)':
          '550 5.2.2 Mailbox inactive',
        'no such {who}': '550 5.2.2 No such mailbox',
        '(server|store|storage|system|internal) ~ (error|failure|unreachable|unavailable|offline|down|problem)':
          '452 4.2.2 The store is down',
      },
    },
    samples: ['552 5.2.2 delivery not possible', '452 4.2.2 Try later'],
  },
];
