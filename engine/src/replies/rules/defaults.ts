/**
 * The meaning of the codes alone, if no words were understood. The enhanced code is read by RFC 3463 (and the IANA
 * registry that grew from it), the reply code by RFC 5321 section 4.2.3, and the class comes last. A bare 550 or 554
 * stays open: RFC 5321 gives 550 to "no access" and "policy reasons" as well as to "not found".
 */
import type { Rule } from './rule.ts';

/** Words that speak of us: beside them a mailbox code alone condemns no mailbox. */
const aboutUs = {
  '(ipaddr|abuse|blocked|blocking|block)': '550 5.1.1 no, 192.0.2.7',
  'your (ip|server|host|network|domain|isp|mta|connection|provider|access)': '550 5.1.1 look at your network',
  '(from|for) you': '550 5.1.1 sorry, we do not want mail from you',
};

/** Asked before the general words of failure and refusal: here the code is the only word about the mailbox. */
export const mailboxCodeRules: readonly Rule[] = [
  {
    reason: 'address_refused',
    label: 'mailbox_not_exist',
    when: {
      enhanced: ['5.1.1', '5.1.2', '5.1.3', '5.1.4', '5.1.6', '5.1.10', '5.1.351'],
      unlessAboutUs: true,
      unless: aboutUs,
    },
    samples: [
      '550 5.1.1 sorry',
      '550 5.1.1 <someone@example.com>: Recipient address rejected: example.com',
      '550 5.1.10 nope',
    ],
  },
  {
    reason: 'mailbox_disabled',
    label: 'mailbox_disabled',
    when: { enhanced: ['5.2.1'], unlessAboutUs: true, unless: aboutUs },
    samples: ['550 5.2.1 sorry', '554 5.2.1 <someone@example.com>'],
  },
  {
    // RFC 5321 section 4.2.3 keeps 552 for a mailbox over its allocation; 522 is its common misspelling.
    reason: 'over_quota',
    label: 'mailbox_full',
    when: {
      codes: [552, 522],
      unlessEnhanced: ['*.2.3', '*.3.*', '*.4.*', '*.5.*', '*.6.*', '*.7.*'],
      unless: {
        '(reject*|refused|denied|blocked|not accepted|not allowed)': '552 Rejected',
        '(loop|loops|looping|hops|sender|content|contents|attachment|attachments|header|headers)':
          '552 This goes in a loop',
      },
    },
    samples: ['552 Requested mail action aborted', '522 5.2.0 delivery failed for someone'],
  },
];

export const defaultRules: readonly Rule[] = [
  {
    reason: 'deferred',
    label: 'greylisted_or_temporary',
    when: { classes: [4] },
    samples: ['451 4.7.1 Requested action aborted', '421 4.3.2 closing', '450 unavailable'],
  },
  {
    // RFC 3463 x.1.0, "other address status", says least of its subject, so every word comes before it.
    reason: 'address_refused',
    label: 'mailbox_not_exist',
    when: { enhanced: ['5.1.0'], unlessAboutUs: true, unless: aboutUs },
    samples: ['550 5.1.0 <someone@example.com>'],
  },
  {
    reason: 'content_refused',
    label: 'blocked_or_policy',
    when: { enhanced: ['*.2.3', '*.3.4', '*.6.*', '*.5.3'] },
    samples: ['552 5.3.4 sorry', '554 5.6.0 sorry'],
  },
  {
    reason: 'policy',
    label: 'blocked_or_policy',
    when: { enhanced: ['*.7.*'] },
    samples: ['550 5.7.1 sorry', '554 5.7.999 see https://help.example/'],
  },
  {
    // RFC 4954 sections 4 and 6.
    reason: 'authentication_required',
    label: 'blocked_or_policy',
    when: { codes: [530, 534, 535, 538] },
    samples: ['530 sorry'],
  },
  {
    // No RFC knows them; both are in wide use for "refused by the recipient's rules".
    reason: 'policy',
    label: 'blocked_or_policy',
    when: { codes: [541, 571] },
    samples: ['571 sorry'],
  },
  {
    // Not understood, but it sends us to a page about it: that is about senders, not about the mailbox.
    reason: 'speaks_of_us',
    label: 'blocked_or_policy',
    when: {
      codes: [521, 550, 551, 553, 554],
      text: { '(*://*|www.*)': '554 see https://postmaster.example/help' },
    },
  },
  {
    reason: 'unexplained',
    label: 'other',
    when: { classes: [5] },
    samples: ['550 sorry', '554 5.0.0 sorry', '550 5.4.1 sorry'],
  },
];
