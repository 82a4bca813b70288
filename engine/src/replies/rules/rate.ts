/**
 * Limits of rate and number. A transient one asks for patience; a permanent one refuses the asking side. Both leave
 * the mailbox undecided: "too many invalid recipients" is about our earlier questions, not about this one.
 */
import type { Rule } from './rule.ts';

const tooMuch = {
  '(too many|too much|excessive|exceed*|maximum|max|limit on|limited|over) ~ (connections?|sessions?|messages?|recipients?|emails?|mails?|errors?|commands?|attempts?|requests?|transactions?|rcpts?|rcpt|threads|deliver*|failures?|invalid|unknown|bad|nonexistent|concurren*|simultaneous|hour|day|minute|domains?|hits|junk|addresses|users)':
    '421 4.7.0 Too many connections from your host, slow down',
  '(connections?|sessions?|messages?|recipients?|emails?|mails?|hourly|daily|sending|sender|rate|concurren*|volume|traffic|smtp|recipient|connection|message|frequency|submission|outgoing|outbound) (rate|count|number|volume|frequency|limits?|quotas?|throttl*|per (hour|day|minute|connection|session)) ~ (exceeded|reached|limit*|exceed*|high|over|hit|too|control|violat*)?':
    '450 4.7.1 Rate limit exceeded, try again later',
  '(throttl*|ratelimit*|rate-limit*|*ratelimit*|slow down|slowdown|backoff|back off|overrate)':
    '421 4.7.0 You are throttled',
  'rate (limit*|control*|exceeded|is)': '450 4.7.1 Rate limit exceeded, try again later',
  '(too|very) (fast|quickly|frequent*|often|high|soon|busy)': '421 You connect too often',
  '(frequency|frequencies) (is|are|was|has been)? (limited|limit*|exceeded|control*)':
    '550 Connection frequency limited',
  '(sent|sending|send) (too|to too) (many|much)': '550 5.7.1 You have sent too much today',
  '(limit|limits|quota) ~ (sending|sender|per (hour|day|minute)|messages|connections|recipients) ~ (exceeded|reached)?':
    '550 The limit of 20 recipients per day is reached',
  '(exceeded|reached|over) (the|your|its|a|our)? ~ (rate|limit|limits|number of|threshold|quota)':
    '450 You have reached our threshold',
  '(sending|sender|hourly|daily|outgoing) ~ quota ~ (exceeded|reached)?':
    '550 5.7.1 The sending quota of this host is gone',
  '(max*) (message|messages|recipients?|connections?|rcpt|rcpts|defers|failures|emails?) (per|allowed|reached|exceeded|limit|in)':
    '421 Max messages per connection',
  '(dictionary|directory|harvest*|namespace|name space) (attack|harvest*|mining)':
    '550 Directory harvest attack',
  '(reduce|lower) (your|the)? ~ (rate|volume|connections|speed|number)': '421 Please reduce your speed',
  '(number|amount|percentage|ratio|count) of ~ (unknown|invalid|bad|nonexistent|failed|rejected)':
    '550 The percentage of unknown users among yours is too great',
  'server (is)? (too)? busy': '451 4.7.500 Server busy. Please try again later (AS77714)',
  '*trop de (connexions|messages|destinataires|mails)':
    '421 Trop de connexions, veuillez verifier votre configuration. OFR005_104',
  'zu viele (verbindungen|empfanger|nachrichten|mails)': '421 Zu viele Verbindungen',
  '(demasiad*|muit*|troppi|troppe|te veel) (conexion*|conexoes|connessioni|mensaj*|mensagens|messaggi|destinatari*|verbindingen|berichten)':
    '421 Demasiadas conexiones',
};

/** A message that went in circles has passed too many servers, not sent too much. */
const loops = {
  '(hops?|hop count|loop|loops|received headers)': '554 5.4.6 Too many hops, maximum of 30 recipients',
};

export const rateRules: readonly Rule[] = [
  {
    reason: 'rate_limited',
    label: 'greylisted_or_temporary',
    when: { classes: [4], text: tooMuch, unless: loops },
    samples: [
      '421 4.7.0 Too many connections from your host, slow down',
      '452 4.5.3 Too many recipients',
      '450 4.7.1 Rate limit exceeded, try again later',
      '451 4.7.500 Server busy. Please try again later (AS77714)',
      '421 Trop de connexions, veuillez verifier votre configuration. OFR005_104',
    ],
  },
  {
    reason: 'rate_limited',
    label: 'blocked_or_policy',
    when: { classes: [5], text: tooMuch, unless: loops },
    samples: [
      '550 Too many invalid recipients from you today',
      '554 Attempting to mail too many unknown recipients, blocked for the day',
      '550 Connection frequency limited',
      '552 Too many recipients',
      '550 5.7.1 someone@example.com - the daily quota of messages for the sender is reached',
    ],
  },
];
