/** Replies that ask for patience: greylisting in its dialects, a check still under way, a mailbox that is busy. */
import { patienceAbroad } from './languages/all-languages.ts';
import type { Rule } from './rule.ts';

export const greylistingRules: readonly Rule[] = [
  {
    reason: 'greylisted',
    label: 'greylisted_or_temporary',
    when: {
      text: {
        '(*greylist*|*graylist*|*postgrey*|*greytrap*|*greymail*|*milter-greylist*)':
          '450 4.2.0 <someone@example.com>: Recipient address rejected: Greylisted, see http://postgrey.example/help/example.com.html',
        '(grey|gray) (list|listed|listing)':
          '451 4.7.1 <someone@example.com>: Sender address rejected: grey listed by policy',
        '(first|initial) (time|attempt|contact|delivery|seen) ~ (try|retry|again|later|delay*|defer*)':
          '451 First contact from you to someone@example.com, please retry',
        '(unknown|new|unfamiliar) (triplet|relationship|correspondent)': '450 4.7.1 New triplet, please wait',
        'early retry': '451 4.7.1 Early retry, the waiting time is not over',
        '(retry|try|come back|again|resend) ~ (in|after) {number} (seconds?|secs?|minutes?|mins?)?':
          '451 4.7.1 Greylisting in action, please come back in 00:05:00',
        'try again in (a|one|two|few|several)? (few|couple)? (minutes?|seconds?|moments?|hours?)':
          '451 4.7.1 Try again in a few minutes',
        'come back later': '450 Please come back later',
        '(policy|delivery|message|mail|email|temporarily) (is|was|has been|will be)? (temporarily)? delayed':
          '450 4.7.1 Mail is delayed on its first visit',
        'policy rejection (please)? try (again)? later': '450 4.7.1 Policy Rejection- Please try later',
        'retry (shortly|soon)': '450 Please retry shortly',
        'internal resources (are|is) temporarily unavailable':
          '451 Internal resources are temporarily unavailable - https://help.example/451',
        'sender (is|was)? not yet (known|verified|trusted)': '451 4.7.1 The sender is not yet known here',
      },
      unless: {
        '*spamhaus*': '451 Greylisted until zen.spamhaus.org forgets 192.0.2.7',
        '(blacklist*|blocklist*|dnsbl|rbl|block list|black list)':
          '451 On a dnsbl, try again in 3600 seconds',
      },
    },
    samples: ['550 Gray-listed, try again in 5 minutes', '451 4.3.2 Please try again in 300 seconds'],
  },
  {
    // Postfix asks the host behind about the address and does not know yet (RFC 3463 would have it 4.1.1).
    reason: 'verification_in_progress',
    label: 'greylisted_or_temporary',
    when: {
      text: {
        '(address|recipient|user) verification (is)? (in progress|pending|underway)':
          '450 4.1.1 <someone@example.com>: unverified address, verification in progress at mx.example.net',
        'unverified address':
          '450 4.1.1 <someone@example.com>: unverified address, verification in progress at mx.example.net',
        '(recipient|address) ~ (not yet|being) verified': '450 4.1.1 The recipient address is being verified',
        '(cannot|could not|unable to) verify (the)? (recipient|user|mailbox|address) ~ (now|moment|time|temporar*)':
          '451 Could not verify recipient at this time',
        '(callout|callback|call out|call forward|recipient verification) ~ (defer*|temporar*|timed out|timeout)':
          '451 Could not complete recipient verify callout: callout deferred',
      },
      classes: [4],
      unless: {
        'sender (address|verif*)': '450 4.1.7 Sender address rejected: unverified address',
      },
    },
  },
  {
    // A question to another host that came to no end, be it about the recipient or the sender.
    reason: 'deferred',
    label: 'greylisted_or_temporary',
    when: {
      classes: [4],
      text: {
        '(could not|cannot|unable to) complete ~ (callout|callback|verif*|lookup)':
          '451 Could not complete sender verify callout',
      },
    },
  },
  {
    // The mailbox exists: it gets more mail than it may. Google says so with the 5.2.1 that also means "disabled".
    reason: 'receiving_too_fast',
    label: 'greylisted_or_temporary',
    when: {
      text: {
        '{who} ~ receiving (mail|email|messages) (too|at a rate)':
          '450 4.2.1 This user is receiving mail too quickly, send it again tomorrow',
        '{who} ~ receiv* (too many|too much) (mail|email|messages|emails)':
          '450 4.2.1 The mailbox receives too many messages at the moment',
        '(*receivingrate*|*receivingrateperm*)': '450 4.2.1 see https://support.example/?p=ReceivingRate',
        '{who} ~ (has)? exceeded ~ (receive|receiving|incoming|inbound) (rate|limit*|message)':
          '554 5.2.121 Recipient has exceeded their hourly message receive limit',
        '(mailbox|recipient|user|account) (is)? (currently|temporarily)? (busy|locked for delivery|in use)':
          '450 4.2.1 Mailbox busy, try again',
        '(mailbox|recipient) ~ (hourly|daily) ~ limit':
          '554 5.2.121 Recipient has exceeded their hourly message receive limit',
        '*recipientthread* limit': '432 4.3.2 STOREDRV.Deliver; recipientthread limit exceeded',
        'too many (messages|mails|emails) received':
          '451 4.2.1 Too many messages received for this mailbox lately',
        'too many recent messages': '452 4.1.1 <someone@example.com> user has too many recent messages',
        'mailbox (is|was)? temporarily (unavailable|not available|locked)': '450 Mailbox temporarily locked',
      },
      unless: {
        '(quota|quotas) ~ (exceeded|full|reached|exhausted)': '452 4.2.2 User quota exceeded, mailbox busy',
        '(over|exceed*|out of) ~ (quota|quotas)': '452 4.2.2 Mailbox busy, user over quota',
      },
    },
    samples: ['550 5.2.1 The user is receiving mail at a rate that leaves no room for more'],
  },
];

/** Asked after the rules about quota and about us: in other languages the word for "later" stands beside any reason. */
export const patienceRules: readonly Rule[] = [
  {
    reason: 'try_again_later',
    label: 'greylisted_or_temporary',
    when: { classes: [4], text: patienceAbroad },
  },
];
