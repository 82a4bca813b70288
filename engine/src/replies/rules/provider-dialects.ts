/**
 * What single providers mean by words that mean something else in general, or by marks of their own. Asked before the
 * general rules. A mark nobody else uses (`OFR_417`, `p=NoSuchUser`) needs no provider; an ordinary phrase does.
 */
import type { Rule } from './rule.ts';

export const providerDialects: readonly Rule[] = [
  {
    // Directory-based edge blocking: "access denied" here means that the tenant's directory has no such recipient.
    reason: 'user_unknown',
    label: 'mailbox_not_exist',
    when: { enhanced: ['5.4.1'], text: ['(recipient|all recipient) (address|addresses) rejected access denied'] },
    samples: [
      '550 5.4.1 [someone@example.com]: Recipient address rejected: Access denied. AS(201806281)',
      '550 5.4.1 All recipient addresses rejected : Access denied',
    ],
  },
  {
    // RFC 3463 has 5.4.1 for "no answer from host"; Microsoft's users are no longer served there.
    reason: 'domain_not_served',
    label: 'blocked_or_policy',
    when: { text: ['no mail enabled subscriptions'] },
    samples: ['550 5.4.4 Mail received as unauthenticated, incoming to a recipient domain that has no mail-enabled subscriptions'],
  },
  {
    reason: 'account_disabled',
    label: 'mailbox_disabled',
    when: { providers: ['microsoft', 'outlook'], enhanced: ['5.7.504', '5.7.505'] },
    samples: ['550 5.7.504 [someone@example.com]: Recipient address rejected: Access denied'],
  },
  {
    // A per-address frequency limit and an unknown user are answered alike.
    reason: 'unavailable_or_denied',
    label: 'blocked_or_policy',
    when: { text: ['mailbox unavailable or access denied'] },
    samples: ['550 Mailbox unavailable or access denied [someone@example.com]'],
  },
  {
    // An address without standing is answered as if it had not said EHLO.
    reason: 'client_refused',
    label: 'blocked_or_policy',
    when: { providers: ['apple'], codes: [503] },
    samples: ['503 5.5.1 Error: send HELO/EHLO first'],
  },
  {
    reason: 'mailbox_disabled',
    label: 'mailbox_disabled',
    when: { providers: ['comcast'], enhanced: ['5.2.0'], text: ['recipient unavailable'] },
    samples: ['550 5.2.0 <someone@example.com> Recipient unavailable'],
  },
  {
    // The customer's own inbound service is off, not this user's mailbox.
    reason: 'customer_suspended',
    label: 'greylisted_or_temporary',
    when: { classes: [4], text: ['account inbounds disabled'] },
    samples: ['451 Account inbounds disabled'],
  },
];
