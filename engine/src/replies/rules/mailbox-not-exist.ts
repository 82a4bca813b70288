/**
 * The server knows no such mailbox, or knows that its owner has gone. The words must be about the recipient: rules
 * that condemn see a reply without its statements about senders, clients, services and messages.
 */
import { unknownAbroad } from './languages/all-languages.ts';
import type { Rule } from './rule.ts';

/** Words that say "unknown", whatever the class: with a 4xx they are a soft bounce. */
const saysUnknown = {
  '{who} ~ (does not|did not|not|never) (appear to|seem to)? exists?':
    '550 5.1.1 The account you wrote to does not exist, look for typos',
  '{who} ~ never existed': '550 That mailbox has never existed',
  '{who} ~ (nonexistent|non existent|non-existent|nonexistant|inexistent|inexistant|not existent)':
    '550 5.1.1 <someone@example.com>: mailbox is nonexistent',
  '(nonexistent|non existent|non-existent|nonexistant|not existing) (local|email|mail)? {who}':
    '550 Non-existent mailbox',
  '{who} (addr)? (does not|not) (exits|exsit|exsist|existed)': '550 User not exsist',
  '(no|not|so) such ~ {who}': '550 No such local user',
  'no such (entry|object|person|name|id|one|local part)': '550 There is no such person',
  '(does not|did not|not|never) exists? (that|this|such|the|any|an?) {who}':
    '550 Here does not exist that user',
  'not found (recipient|user|mailbox|account|address|email)': '550 Not found user',
  '(not|no) (an?|the)? {who} (of|on|at|in) (this|our|the) (server|host|system|domain|site|machine|company|mail server)':
    '550 not user of this server',
  '(unknown|unrecognized|unrecognised|undefined|unregistered|unallocated|unassigned) (local|email|mail|destination|virtual|remote|final|internet|or (illegal|invalid))? ({who}|local part|person|extension)':
    '550 unknown or illegal alias: someone@example.com',
  '{who} (addr|name|part|id)? (is|was|are|seems|appears)? (to be)? (currently)? (unknown|unrecognized|unrecognised|undefined|unallocated|unassigned|unregistered)':
    '550 5.1.1 <someone@example.com>: Recipient address rejected: User unknown in virtual mailbox table',
  '{who} ~ (is|was|are|were) (currently|still)? (unknown|not known|unrecognized|unrecognised|unallocated)':
    '550 The user you asked for is unknown',
  '{who} ~ unknown (in|to|here|at|on|by)': '550 Recipient someone of example.com unknown here',
  '(mailbox|user|account|recipient|alias) * (is|was)? (unknown|not found|invalid)':
    '550 User someone not found',
  'not known (here|at this|on this|to us|by this)': '550 someone@example.com is not known here',
  '{who} ~ (is|was|were|could|can|has|have)? (not|cannot) (be|been)? (found|located|known|recognized|recognised|registered|listed|defined|matched|provisioned|identified|resolved|present|existing|assigned|allocated|mapped)':
    '550 someone... User not listed in the public address book',
  '{who} ~ (is|was|are|seems|appears) not (valid|correct|in use|hosted here|ours|here)':
    '550 The address someone@example.com is not valid',
  '{who} (addr|name)? not (valid|correct|in use|hosted here|ours|here|set up|setup|created)':
    '550 User not here',
  '(not|no) (found|listed|registered|present) (in|on|at|here|by) ~ (directory|database|table|address book|lookup|ldap|domino)':
    '550 someone@example.com not found in the directory',
  '(cannot|could not|unable to|failed to|not able to) (find|locate|identify|recognize|match) ~ (recipient|user|mailbox|account|addr|address|username|person|alias)':
    '550 Unable to find the mailbox',
  '(cannot|could not|unable to|failed to|not able to) (find|locate|identify) * (in|on|among|at) ~ (users|accounts|mailboxes|recipients|directory|list|table|database|system|domain|records)':
    '550 cannot find someone among our users',
  '(is|was|are) (unknown|not known|unrecognized) (in|at|on|to|by|within) (this|our|the) (workgroup|organization|organisation|company|school|directory|department|office|university|institute)':
    '550 someone is unknown in this company',
  'no (valid|matching|local|active|existing|known)? (user|mailbox|account|recipient|person|alias|address|addressee|subscriber|one|entry) (by|with|of|under|called|named|here|found|for|at|matching|exists?|such|associated|corresponding|on|available|present|defined|configured|registered|assigned|allocated)':
    '511 sorry, no mailbox here by that name (#5.1.1 - chkuser)',
  '(there is|there are|we have|have|has|with|found) no ~ (user|users|mailbox|account|recipient|person|address|email|one)':
    '550 This domain has no address like that',
  '(does not|not) (have|has|own|hold) (an?|any|this|such|the)? ~ (accounts?|mailbox|users?|email|address|recipient)':
    "554 delivery error: dd This user doesn't have an example.com account (someone@example.com)",
  '(is|are|was) not (an?|the|one of (our|my)|our|my) (valid|known|registered|local|existing|recognized|correct|real|legal|defined|proper|current)? (email|mail|local|gateway|system)? ({who}|customers?)':
    '550 someone@example.com is not a known user on this system',
  '(not|non) (an?|the)? (valid|known|registered|existing|legitimate|recognized|legal) (email|mail|local)? {who}':
    '550 not a valid mailbox',
  '(not|not a|not one of) (our|my|the) (user|customer|customers|users|subscriber|{who})':
    '550 Not our customer',
  '(does not|not) belong to (any|one|us|this) ~': '550 The address does not belong to any of us',
  '(invalid|illegal|incorrect|wrong|bad|nonvalid|inaccurate|erroneous) (local|email|mail|destination|final|to|delivery|target|receiver|rcpt|recipient|user|or (unknown|missing)|mailbox|smtp)? (local|delivery)? ({who}|part|userid|forward path|forward-path|mailbox name)':
    '550 Invalid Recipient - https://help.example/DOC-1369#550',
  '{who} (addr|name|specified|given|provided|you entered)? (is|was|are|seems|appears)? (to be)? (an?)? (invalid|illegal|incorrect|wrong|bad|misspelled|erroneous|malformed)':
    '550 Address is misspelled',
  'ambiguous (address|recipient|user|alias)': '550 ambiguous address, two people have it',
  'marked as invalid': '550 5.7.1 <someone@example.com>: the address is marked as invalid here',
  '(*nosuchuser*|*recipnotfound*|*recipientnotfound*|*unknownrecipient*|*unknownuser*|*invalidrecipient*|*usernotfound*|*addressnotfound*|*userunknown*|*nosuchmailbox*|*mailboxnotfound*)':
    '550 5.1.10 RESOLVER.ADR.RecipientNotFound',
  '(nobody|no one|noone|anybody|anyone) (by|called|named|with|here|there|at) ~ (that name|this name|name|here|address|*)':
    '550 We do not know anybody called someone',
  '(never heard of|do not know|does not know) (this|that|any|such|the)? (user|recipient|mailbox|person|account|address|addr)':
    '550 We do not know this person',
  'does not (match|correspond to) (any|an existing|a known) ~ {who}':
    '550 someone does not match any existing account',
  '{who} (addr)? (is|was|does)? not (in|on|at|from|of|one of|reside|live|local)':
    '551 User not local; please try <someone@example.net>',
  'not (an?)? local (user|recipient|mailbox|account|address)': '550 not a local mailbox',
  '(list|group) (addr|*)? (does not exist|no longer exists|unknown|not found)':
    '550 The group someone does not exist',
  '(no (longer|more)|not (any)? longer) (an?|the)? (valid|existing|known|registered)? {who}':
    '550 someone is no longer a user of ours',
} as const;

/** As good as gone, or not to be reached: with a 4xx the same words mean that it may be better soon. */
const saysGone = {
  '(mailbox|account|inbox) (name)? (addr|*)? (is|was|currently)? (currently)? (unavailable|not available|unreachable|inaccessible)':
    '550 Requested action not taken: mailbox unavailable',
  '(recipient|user|address|addr|account) (is|was)? (currently|permanently)? (not available|unavailable|undeliverable|unreachable)':
    '550 someone@example.com is undeliverable',
  '(recipient|address|user|mailbox) (addr)? (cannot|could not) be (verified|validated|resolved|delivered to)':
    '550 The recipient cannot be verified',
  '(recipient|rcpt|user|address|addr|forward path) (verify|verification|validation|callout|callforward) ~ (fail*|rejected|negative)':
    '550 Recipient verify failed',
  '(failed|fails) (recipient|address|rcpt|user) (verification|validation|check)':
    '550 failed recipient verification',
  '(callout|callback|callforward) (verification)? (fail*|failure)':
    '550 Previous (cached) callout verification failure',
  '(unavailable|inaccessible) (mail|email|local)? (user|mailbox|recipient|account)':
    '550 unavailable mail user',
  '(recipients|addresses|users|mailboxes|accounts) (addr)? (were|are|was) (undeliverable|unreachable|unavailable|invalid|unknown)':
    '550 These recipients were undeliverable',
  '(cannot|will not|does not|could not) accept (the|this|that)? (user|recipient|rcpt|address|addr) $':
    '550 cannot accept user',
  '(undeliverable|unrouteable|unroutable|unreachable|nondeliverable|dead|obsolete|defunct|non deliverable) (mail|email|user|recipient|destination)? ({who}|destination)':
    '550 unrouteable address',
  '(user|account|recipient|mailbox|address|person) (addr)? (missing|absent|ambiguous|not unique)':
    '550 User not unique',
  '{who} ~ no (longer|more) (valid|available|exists?|existing|used|in (use|service)|accepting|accepts?|receives?|receiving|monitored|maintained|checked|current|on|at|here|with|has|have|part|a|an|active)':
    '550 The address is no longer in use',
  '(is|are|was|has|have|*) no (longer|more) (working|works?|employed|with (us|the company|this)|at (this|our|the)|here|in this (office|company)|part of)':
    '550 someone no longer works here',
  '(check|verify|double check|recheck) (the|for)? (spelling|typos?|typing)': '550 Sorry. Check the spelling',
  '{who} ~ not (configured|set up|provisioned|setup|enabled|intended) (to|for) (receive|accept|receiving|accepting|deliver*)':
    '550 Address is not configured to receive email',
  '(blank|missing|empty) (mailhost|mailbox|recipient|maildrop|user)':
    '550 5.2.1 <someone@example.com>... blank mailhost',
  '{who} ~ (deleted|removed|terminated|purged|destroyed|erased|canceled|discontinued|abandoned|vacated|retired|withdrawn|unallocated)':
    '550 5.1.1 This account was deleted',
  '(deleted|terminated|removed) (user|account|mailbox|recipient|address)': '550 deleted account',
  '(user|account|mailbox|recipient|address|person) ~ (is|are|was) (now|long)? gone':
    '550 The mailbox that you wrote to is gone',
  'not (an?)? (employee|student|staff member|member of staff) ~ (of|at|here|with|any more|anymore)':
    '550 someone is not a student here',
  '(all|no) (valid)? (recipients|rcpts|recipient) (were|was|are|is|specified|given|address)? ~ (invalid|unknown|failed verification|not exist|undeliverable)':
    '550 all recipients failed verification',
  '(user|recipient|mailbox|account|addr|person|employee|owner) ~ (has|have)? (moved|left|relocated|departed|transferred|resigned|retired|passed away|deceased|migrated)':
    '551 5.1.6 The recipient has moved, ask for someone@example.net',
  '(moved|changed) (his|her|their|its|away|email|address)': '550 someone changed address',
  '(has|have|is) (now|since|been)? (moved|relocated) (to|away|elsewhere)': '550 Has moved to example.net',
  '(new|changed|updated|different) (email|mail|forwarding)? address (is|to|as|of|please|for|addr)':
    '550 5.1.6 The new address is someone@example.net',
  '{who} ~ (replaced|superseded) by': '550 That address has been replaced by someone@example.net',
  '(*badrcptto*|*badrecipientto*)': '550 sorry, the recipient is in my badrcptto list',
  '(forwarding|forward) address ~ (unknown|invalid)': '550 The forwarding address is unknown',
  '(mailbox|recipient) name (is)? not (allowed|permitted|acceptable)': '553 mailbox name not allowed',
  'address ~ not (a)? valid rfc': '553 5.1.3 The recipient address is not a valid RFC 5321 address',
  '(delivery|mail|email) to (this|that|the)? (user|address|recipient|mailbox|addr) ~ (failed permanently|impossible|not possible)':
    '550 Delivery to this address is impossible',
} as const;

export const mailboxNotExistRules: readonly Rule[] = [
  {
    // The domain behind the address is not known to the host that answers for it (RFC 3463 x.1.2).
    reason: 'domain_unknown',
    label: 'mailbox_not_exist',
    when: {
      text: {
        '(recipient|destination|rcpt|target) (address)? (rejected)? (mail)? (domain|host|system) ~ (unknown|not (found|exist|valid|known)|does not exist|invalid|nonexistent|null mx|has no)':
          '550 5.1.2 <someone@example.com>: Recipient address rejected: Domain not found',
        'addr ~ (domain|host|hostname) (name)? (is|was)? (unknown|not found|does not exist|invalid|nonexistent)':
          '550 <someone@example.com>... Host unknown',
        'host unknown (name|no answer|authoritative)':
          '550 Host unknown (Name server: example.com: host not found)',
        'recipient because the domain (is|was) (not reachable|unreachable|unknown|not found)':
          '554 Nothing went to the recipient because the domain is unreachable',
        '(recipient|rcpt|destination) (address)? (rejected)? (unknown|invalid|bad|no such) (domain|host)':
          '550 Recipient address rejected: Unknown domain name',
        '(recipient|destination|rcpt) domain must exist': '550 The recipient domain must exist',
        'mx records? (points?|pointing) to (nonexistent|non existent)':
          '550 all relevant MX records point to non-existent hosts',
        '(mx|srv) record indicated no smtp service': '550 an MX or SRV record indicated no SMTP service',
        'domain name required for recipient': '553 5.1.2 Real domain name required for recipient address',
        '(unrouteable|unroutable) (mail)? domain': '550 unrouteable mail domain "example.com"',
        'host or domain name not found': '550 5.4.4 Host or domain name not found',
        '(unknown|invalid|bad|nonexistent|no such) (recipient|destination) (domain|host|system)':
          '550 Unknown recipient domain',
        '(recipient|domain|address|addr) ~ (null mx|nullmx)': '550 5.1.10 The address has a null MX',
        '(find|have|has|no) (a)? (valid)? mx for (rcpt|recipient|destination)':
          '550 No valid MX for recipient',
        '(cannot|could not|unable to|failed to) (find|resolve|locate|look up) ~ (destination|recipient) (domain|host|system)':
          '550 Could not find the destination host',
      },
      unless: {
        '(temporar*|try again (later|in)|timeout|timed out)':
          '550 Recipient domain not found, try again later',
        '(sender|senders|your|sending)': '550 The recipient host has no route to your domain',
      },
    },
  },
  {
    // Without a word about whose domain it is, the code has to say so.
    reason: 'domain_unknown',
    label: 'mailbox_not_exist',
    when: {
      enhanced: ['5.1.2', '5.1.10', '5.4.4'],
      text: {
        '(host|domain|hostname|destination) (name)? (addr|*)? (is|was)? (unknown|not found|does not exist|invalid|nonexistent)':
          '550 5.1.2 Domain unknown',
        '(unknown|invalid|bad|nonexistent|no such) (destination)? (host|domain|system|destination|site)':
          '550 5.1.2 Bad destination',
        '(no|find any|find) (mail hosts?|mail servers?|mail exchangers?|mx|mx hosts?|mx records?) (for|of|in|found)':
          '550 5.4.4 No mail exchanger found',
        '(invalid|bad|no) mx (record)?': '550 5.4.4 Invalid MX record',
        '(name or service not known|nxdomain|no mx (or|and) a records?|no mail exchanger)':
          '550 5.4.4 nxdomain',
      },
      unless: {
        '(sender|senders|your|sending)': '550 5.1.2 no such host, says your name server',
      },
    },
  },
  {
    reason: 'user_unknown',
    label: 'mailbox_not_exist',
    when: { text: { ...saysUnknown, ...saysGone, ...unknownAbroad } },
    samples: [
      '550 5.7.1 No such user!',
      '550 No such recipient here',
      '550 5.1.1 recipient mailbox unallocated',
      '550 5.1.10 RESOLVER.ADR.RecipientNotFound; Recipient not found by SMTP address lookup',
      '550 We have no mailbox called someone',
      '550 Usuario inexistente',
    ],
  },
  {
    // A soft bounce: the host has looked and found no mailbox, and leaves room for a change of mind.
    reason: 'unknown_for_now',
    label: 'greylisted_or_temporary',
    when: {
      classes: [4],
      aboutRecipient: true,
      text: { ...saysUnknown, ...unknownAbroad },
      unless: {
        'unverified (address|recipient)':
          '450 4.1.1 <someone@example.com>: unverified address: mailbox not found yet',
        '(temporar*|try again|retry|later|moment)': '451 mailbox not found, try again later',
      },
    },
    samples: [
      '450 4.1.1 <someone@example.com>: Recipient address rejected: User unknown in local recipient table',
      '451 User unknown',
    ],
  },
];

const refusedByName = {
  text: {
    '(recipient|rcpt|destination|receiver) (address|addr|email)? (is|was|has been)? (rejected|refused|not accepted|unacceptable|not ok) (addr)? $':
      '550 5.1.1 <someone@example.com> rcpt rejected',
    '(address|addr) (is|was|has been)? (rejected|refused) (addr)? $': '550 #5.1.0 Address rejected.',
    '(rejected|refused|reject|bad) (recipient|destination) (address)? (addr)? $':
      '550 5.1.0 rejected recipient <someone@example.com>',
    '(user|account|recipient) (addr)? (rejected|refused|not (accepted|allowed|permitted)) $':
      '550 5.1.1 User someone@example.com not accepted',
  },
  unless: {
    '(policy|abuse|not allowed|restrict*|denied|ip|ipaddr|sender)': '550 5.1.0 Address rejected. Denied',
  },
};

/**
 * Asked after the rules of policy: the recipient is refused by name and no reason is given. A bare 550 says no more
 * than that; an address code beside it (RFC 3463 x.1.x), or a reply code kept for addresses, gives the reason.
 */
export const recipientRefusedRules: readonly Rule[] = [
  {
    reason: 'recipient_refused',
    label: 'mailbox_not_exist',
    when: { enhanced: ['5.1.*'], ...refusedByName },
  },
  {
    reason: 'recipient_refused',
    label: 'mailbox_not_exist',
    when: { codes: [511, 513, 542, 551], ...refusedByName },
    samples: ['542 someone@example.com Rejected'],
  },
];
