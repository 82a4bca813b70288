/**
 * Words that mean something else at single providers than in general, and marks of their own. Asked before the
 * general rules. A mark that only one provider uses (`OFR_417`, `p=NoSuchUser`) needs no provider; an ordinary
 * phrase does.
 */
import type { Rule } from './rule.ts';

export const providerDialects: readonly Rule[] = [
  {
    // Directory-based edge blocking: "access denied" here means that the tenant's directory has no such recipient.
    reason: 'user_unknown',
    label: 'mailbox_not_exist',
    when: {
      enhanced: ['5.4.1'],
      text: {
        '(recipient|all recipient) (address|addresses) rejected access denied':
          '550 5.4.1 [someone@example.com]: Recipient address rejected: Access denied. AS(201806281)',
      },
    },
    samples: ['550 5.4.1 All recipient addresses rejected : Access denied'],
  },
  {
    // RFC 3463 has 5.4.1 for "no answer from host"; Microsoft's users are no longer served there.
    reason: 'domain_not_served',
    label: 'blocked_or_policy',
    when: {
      text: {
        'no mail enabled subscriptions':
          '550 5.4.4 Mail received as unauthenticated, incoming to a recipient domain that has no mail-enabled subscriptions',
      },
    },
  },
  {
    reason: 'mailbox_disabled',
    label: 'mailbox_disabled',
    when: { enhanced: ['5.7.504', '5.7.505'] },
    samples: ['550 5.7.504 [someone@example.com]: Recipient address rejected: Access denied'],
  },
  {
    // A per-address frequency limit and an unknown user are answered alike.
    reason: 'unavailable_or_denied',
    label: 'blocked_or_policy',
    when: {
      text: {
        'mailbox unavailable or access denied':
          '550 Mailbox unavailable or access denied [someone@example.com]',
      },
    },
  },
  {
    // Google's limit for mail that a customer sends; the mailbox asked for has no part in it.
    reason: 'rate_limited',
    label: 'blocked_or_policy',
    when: {
      enhanced: ['*.7.1'],
      text: {
        'email quota exceeded': '550 5.7.1 Email quota exceeded.',
      },
    },
  },
  {
    // The postmaster codes of AOL, given with a mailbox code in front and a link behind.
    reason: 'client_refused',
    label: 'blocked_or_policy',
    when: {
      text: {
        '(con|rtr|rly|dyn|hvu|cvu|scr|dns|spf|ipr) (b1|b2|b3|t1|t2|t3|bl|bg|bd|cd|ch|cs|cs2|sc|sn|kb|du|rd|ms|go|ge|dp|nr|nw|ir|ob)':
          '521 5.2.1 :  (CON:B1)  https://postmaster.example/error-codes',
      },
    },
    samples: ['421 (DYN:T1) https://postmaster.example/'],
  },
  {
    // The reject codes of NetEase: two letters for the stage, three for the reason, all about the sending side.
    reason: 'client_refused',
    label: 'blocked_or_policy',
    when: {
      classes: [5],
      text: {
        '(dt|mi|hl|rp|wm|hd) (spm|spb|stc|imc|nup|ihu|ipb|rbl|bli|blu|sti|fer|icc|ifc|mep|rep|cel|dmc|ccl|drc|sfq|trc|slq|ifq|spf|bad)':
          '554 DT:SPM mx12, see http://help.example/',
      },
    },
    samples: ['553 MI:STC 163 smtp'],
  },
  {
    // RFC 7504 section 4: 556 is given by the sending side's own host when the domain's MX is null.
    reason: 'domain_refuses_mail',
    label: 'mailbox_not_exist',
    when: {
      codes: [556],
      text: { '(accept*|receive*|null)': '556 Domain does not accept mail' },
    },
  },
  {
    // OpenSMTPD says so of every recipient it refuses for good, whatever the cause (RFC 3463 x.2.4 means lists).
    reason: 'refused_without_reason',
    label: 'other',
    when: {
      text: {
        'mailing list expansion problem': '524 5.2.4 Mailing list expansion problem: <someone@example.com>',
      },
    },
  },
  {
    // Haraka, if no plugin answers for the recipient.
    reason: 'refused_without_reason',
    label: 'other',
    when: {
      text: { 'i cannot deliver mail for addr': '550 I cannot deliver mail for <someone@example.com>' },
    },
  },
  {
    // A gateway that lists every cause it can think of has established none of them.
    reason: 'several_possible_causes',
    label: 'other',
    when: {
      text: {
        '{who} ~ (may|might) not exist ~ (may|might|or)':
          '550 Nothing went to someone@example.com: it may not exist, or may be on a blacklist',
      },
    },
  },
  {
    // Apple says so of an address that never was, or was given up; it has another reply for one that is locked.
    reason: 'user_unknown',
    label: 'mailbox_not_exist',
    when: {
      providers: ['apple'],
      text: {
        'inactive email address': '550 5.1.1 <someone@example.com>: inactive email address',
      },
    },
  },
  {
    // An address without a good reputation is answered as if it had not said EHLO.
    reason: 'client_refused',
    label: 'blocked_or_policy',
    when: { providers: ['apple'], codes: [503] },
    samples: ['503 5.5.1 Error: send HELO/EHLO first'],
  },
  {
    reason: 'mailbox_disabled',
    label: 'mailbox_disabled',
    when: {
      providers: ['comcast'],
      enhanced: ['5.2.0'],
      text: {
        'recipient unavailable': '550 5.2.0 <someone@example.com> Recipient unavailable',
      },
    },
  },
  {
    // The customer's own inbound service is off, not this user's mailbox.
    reason: 'customer_suspended',
    label: 'greylisted_or_temporary',
    when: {
      classes: [4],
      text: {
        'account inbounds disabled': '451 Account inbounds disabled',
      },
    },
  },
];
