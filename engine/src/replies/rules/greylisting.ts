/** Replies that ask for patience: greylisting in its dialects, a check still under way, a mailbox that is busy. */
import type { Rule } from './rule.ts';

export const greylistingRules: readonly Rule[] = [
  {
    reason: 'greylisted',
    label: 'greylisted_or_temporary',
    when: {
      text: [
        '(*greylist*|*graylist*|*postgrey*|*greytrap*|*greymail*|*milter-greylist*)',
        '(grey|gray) (list|listed|listing)',
        '(first|initial) (time|attempt|contact|delivery|seen) ~ (try|retry|again|later|delay*|defer*)',
        '(unknown|new|unfamiliar) (triplet|relationship|correspondent)',
        'early retry',
        '(retry|try|come back|again|resend) ~ (in|after) {number} (seconds?|secs?|minutes?|mins?)?',
        'try again in (a|one|two|few|several)? (few|couple)? (minutes?|seconds?|moments?|hours?)',
        'come back later',
        '(policy|delivery|message|mail|email|temporarily) (is|was|has been|will be)? (temporarily)? delayed',
        'retry shortly',
        'internal resources (are|is) temporarily unavailable',
        'sender (is|was)? not yet (known|verified|trusted)',
        'temporarily deferred due to unfamiliar',
      ],
      unless: ['*spamhaus*', '(blacklist*|blocklist*|dnsbl|rbl|block list|black list)'],
    },
    samples: [
      '450 4.2.0 <someone@example.com>: Recipient address rejected: Greylisted, see http://postgrey.example/help/example.com.html',
      '451 4.7.1 Greylisting in action, please come back in 00:05:00',
      '451 4.7.1 <someone@example.com>: Sender address rejected: grey listed by policy',
      '450 Please come back later',
      '451 Internal resources are temporarily unavailable - https://help.example/451',
      '550 Gray-listed, try again in 5 minutes',
      '451 4.3.2 Please try again in 300 seconds',
    ],
  },
  {
    // Postfix asks the host behind about the address and does not know yet (RFC 3463 would have it 4.1.1).
    reason: 'verification_in_progress',
    label: 'greylisted_or_temporary',
    when: {
      text: [
        '(address|recipient|user) verification (is)? (in progress|pending|underway)',
        'unverified address',
        '(recipient|address) ~ (not yet|being) verified',
        '(cannot|could not|unable to) verify (the)? (recipient|user|mailbox|address) ~ (now|moment|time|temporar*)',
        '(callout|callback|call out|call forward|recipient verification) ~ (defer*|temporar*|timed out|timeout)',
      ],
      classes: [4],
      unless: ['sender (address|verif*)'],
    },
    samples: [
      '450 4.1.1 <someone@example.com>: unverified address, verification in progress at mx.example.net',
      '451 Could not verify recipient at this time',
      '451 Could not complete recipient verify callout: callout deferred',
    ],
  },
  {
    // The mailbox exists: it gets more mail than it may. Google says so with the 5.2.1 that also means "disabled".
    reason: 'receiving_too_fast',
    label: 'greylisted_or_temporary',
    when: {
      text: [
        '{who} ~ receiving (mail|email|messages) (too|at a rate)',
        '{who} ~ receiv* (too many|too much) (mail|email|messages|emails)',
        '(*receivingrate*|*receivingrateperm*)',
        '{who} ~ (has)? exceeded ~ (receive|receiving|incoming|inbound) (rate|limit*|message)',
        '(mailbox|recipient|user|account) (is)? (currently|temporarily)? (busy|locked for delivery|in use)',
        '(mailbox|recipient) ~ (hourly|daily) ~ limit',
        '*recipientthread* limit',
        'too many recent messages',
        'mailbox (is|was)? temporarily (unavailable|not available|locked)',
      ],
    },
    samples: [
      '450 4.2.1 This user is receiving mail too quickly, send it again tomorrow',
      '550 5.2.1 The user is receiving mail at a rate that leaves no room for more',
      '452 4.1.1 <someone@example.com> user has too many recent messages',
      '450 4.2.1 Mailbox busy, try again',
      '554 5.2.121 Recipient has exceeded their hourly message receive limit',
    ],
  },
];
