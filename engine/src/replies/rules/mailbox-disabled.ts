/** The mailbox is known to the server and switched off: disabled, suspended, inactive, closed (RFC 3463 x.2.1). */
import { disabledAbroad } from './languages/all-languages.ts';
import type { Rule } from './rule.ts';

/** If a server leaves it open ("disabled or does not exist"), the mailbox is as good as gone: see the next theme. */
const orUnknown = {
  '(does not|not|no longer|never) exists?': '550 The mailbox is disabled or does not exist',
  '(no such|unknown|nonexistent) {who}': '550 Unknown user, or account disabled',
  '{who} (addr)? (is|was)? (unknown|not found)': '550 Account disabled or user not found',
  'marked as invalid': '550 The mailbox is closed and marked as invalid',
  '{who} is invalid': '550 The address is invalid or disabled',
  '{who} ~ (deleted|removed|purged)': '550 The account is closed and was deleted',
};

export const mailboxDisabledRules: readonly Rule[] = [
  {
    reason: 'mailbox_disabled',
    label: 'mailbox_disabled',
    when: {
      text: {
        '{who} ~ (disabled|deactivated|de activated|inactivated|inactive|unactive|suspended|suspend|frozen|discontinued|dormant|cancell?ed|archived|unsubscribed|disable|decommissioned|passivated|hibernat*|parked|deactive)':
          '550 5.2.1 The account someone wrote to is disabled. https://support.example/?p=DisabledUser',
        '(mailbox|account|user|recipient|addr|login|inbox) ~ (is|has been|was|are|been|currently|temporarily|has) (currently|temporarily|permanently|administratively|now)? (blocked|locked|closed|barred|stopped|restricted|on hold|put on hold|placed on hold|held|switched off|turned off|shut down|shutdown|not active|not activated|not enabled|offline)':
          '550 5.2.1 This mailbox has been blocked due to inactivity',
        '(distribution|mailing) list ~ (not active|disabled|inactive)': '550 The mailing list is not active',
        '(mailbox|account|user|recipient) (addr)? (blocked|locked|closed|on hold|not active|not activated|not enabled|isn not active)':
          '550 Account closed',
        '(disabled|deactivated|inactive|suspended|frozen|blocked|locked|closed|expired|dormant|archived|cancell?ed|inactivated|deactivate) (user|mailbox|account|recipient|email|address|inbox|mail account|for inactivity|due to inactivity)':
          '550 5.2.1 This mailbox has been blocked due to inactivity',
        '(due to|for|because of|reason|extended|prolonged|long|account|mailbox|user) ~ inactivity':
          '550 5.2.1 This mailbox has been blocked due to inactivity',
        '(mailbox|account|user|recipient|addr) ~ not (allowed|permitted|authorized|able) to receive (any|new|incoming)? (mails?|emails?|messages?) $':
          '550 This user is not allowed to receive mail',
        '(mailbox|account|user|address|recipient|addr) (is|has|was|addr)? expired':
          '550 The account has expired',
        '{who} ~ (no longer|not yet) (active|activated|enabled)': '550 5.2.1 The address is no longer active',
        '(mailbox|account|user|recipient|inbox|addr) ~ (not|no longer|cannot|does not|unable to|will not|never) (currently|presently|be)? (accept*|receive|receiving|take|taking) (any|new|more|incoming|your|further)? (mails?|emails?|messages?|deliver*)':
          '550 5.2.0 mailbox is not currently accepting messages',
        '(not|no longer|stopped|cannot|does not) (currently|presently)? (accepting|receiving|accept|receive) (any|new|more|incoming)? (mails?|emails?|messages?) (for|to|at) ~ {who}':
          '550 5.2.1 We are not accepting messages for this recipient',
        '(incoming|inbound|mail|delivery|reception|receiving) (mail|email|messages|delivery|service|to|for)? ~ (suspended|disabled|switched off|turned off|deactivated)':
          '550 5.2.1 <someone@example.com>: Incoming suspended',
        '(mail|email|smtp|delivery) (service|access|delivery|account) (for|of|to)? ~ (disabled|suspended|deactivated|not enabled|is not activated)':
          '550 Mail delivery to this user is suspended',
        'mailbox (is|was)? not accepting': '554 mailbox is not accepting anything',
        '(has|have) been (made|set)? (to)? (inactive|disabled|deactivated|suspended|frozen|locked out)':
          '550 5.1.1 someone@example.com account has been suspended',
        '(*disableduser*|*inactiveuser*|*accountdisabled*|*mailboxdisabled*|*useraccountdisabled*)':
          '550 5.2.1 The account someone wrote to is disabled. https://support.example/?p=DisabledUser',
        '(subscription|membership|contract|plan|tariff|hosting|domain registration|registration) (of|for|to)? ~ (expired|ended|lapsed|cancell?ed|terminated|suspended|run out|over)':
          '550 Subscription expired',
        '(expired|lapsed|cancell?ed|suspended) (subscription|membership|contract|hosting)':
          '550 Expired subscription',
        '(unpaid|non payment|payment) ~ (account|user|mailbox|service)':
          '550 Payment is due for this mailbox',
        '(mailbox|account) (cannot be|could not be|can not be|not) (accessed|accessible|opened)':
          '554 The mailbox cannot be accessed',
        '(not|is not) (an)? active (user|account|mailbox|email|recipient|address)':
          '550 not an active mailbox',
        '(account|user|mailbox|recipient) under (suspension|maintenance)': '550 account under suspension',
        'is (now|currently|temporarily)? (disabled|suspended|deactivated|inactive)':
          '554 30 The message for someone@example.com was not delivered: mailbox is disabled (554.30)',
        '{who} ~ (temporary|temporarily|currently) (locked|blocked|closed|stopped|restricted)':
          '550 5.7.1 User someone@example.com temporarily locked',
      },
      unless: {
        ...orUnknown,
        '(connection|session) ~ inactivity': '554 The session ended due to inactivity',
        '(spam|antispam|filter|filtering|virus|antivirus|security|gateway|server|system|update|updates) (service|protection)? subscription':
          '550 The spam filter subscription is suspended, expired',
      },
    },
    samples: [
      '540 5.7.1 <someone@example.com>: recipient address inactive',
      '550 The mailbox is frozen until its owner logs in',
    ],
  },
  {
    reason: 'mailbox_disabled',
    label: 'mailbox_disabled',
    when: { text: disabledAbroad, unless: orUnknown },
  },
];
