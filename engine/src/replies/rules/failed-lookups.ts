/**
 * Replies of a server that could not find out: the directory did not answer, the database was down, the mailbox was
 * locked for a moment. "Recipient not found" beside such words means "not looked up", with a 4xx as with a 5xx.
 */
import type { Phrases, Rule } from './rule.ts';

const lookups =
  'ldap|ldaps|sql|mysql|mariadb|pgsql|postgres|postgresql|sqlite|oracle|database|databases|db|userdb|user database|directory|backend|back end|lookup|lookups|look up|query|queries|radius|nis|nisplus|nss|redis|memcached|proxymap|domain controller|global catalog|active directory|dovecot|vpopmail|cyrus|lmtp|quota (service|status|server|check)|callout|callback|callforward|call forward|verification|verify|dict|socketmap|milter|policy (service|server|daemon)|rpc|api|soap|http|upstream';

/** Failures that pass, as they say themselves. */
const passing: Phrases = {
  [`(${lookups}) ~ (timed out|timing out|time out|timeout|timeouts|temporar*|transient*|tempfail|deferred|try again)`]:
    '451 LDAP lookup timed out, recipient not found',
  '(due to|because of|owing to|caused by|reason|after|following) (an?|some|the|our|this)? (temporary|transient) ~ (failure|failures|error|errors|problem|problems|issue|issues|fault|condition|outage|trouble|difficult*)':
    '450 4.1.1 <someone@example.com>: Recipient address rejected: unknown due to temporary failure',
  '(temporary|transient|intermittent|momentary|tempfail|temp) ~ (lookup|lookups|verification|resolution|directory|dns|ldap|database) ~ (failure|error|problem|fault|outage|failed)':
    '550 5.1.1 User unknown (temporary lookup failure)',
  '(cannot|could not|unable to|not able to|impossible to|not possible to) (be)? (verify|verified|validate|validated|check|checked|determine|determined|look up|looked up|lookup|confirm|confirmed|resolve|resolved) ~ (at this time|at the moment|at this moment|right now|just now|at present|presently|currently|for now|now)':
    '550 The recipient cannot be verified at this time',
};

/** Failures of the machinery behind the answer. */
const broken: Phrases = {
  [`(${lookups}) ~ (unreachable|not reachable|offline|not respond*|no response|no answer|did not answer|did not respond|does not answer|does not respond|overload*|exception|lost connection|connection lost|connection refused|connection failed|connection error|connection closed)`]:
    '550 Recipient lookup failed, the LDAP server is unreachable',
  '(ldap|ldaps|sql|mysql|mariadb|pgsql|postgres|postgresql|sqlite|oracle|database|databases|db|userdb|radius|redis|directory (server|service)|lookup (server|service)|backend|back end|lmtp|proxymap|socketmap) (server|servers|service|connection|system|lookup|query)? (is|was|are|currently|has)? (currently|temporarily)? (down|unavailable|not available|inaccessible|error|errors|failure|failed|problem|trouble|busy|broken|fault)':
    '550 5.4.3 Recipient unknown: directory server failure',
  '(could not|cannot|unable to|failed to|failure to|not able to|failing to|error|trouble|problem|problems) (connect|connecting|contact|contacting|reach|reaching|query|querying|access|accessing|open|opening|read|reading|search|searching|consult|talk|bind|communicate|communicating) (to|with|in|on|the|our|from)? ~ (database|db|directory|ldap|backend|back end|userdb|table|map|maps|sql|mysql|password file|passwd|user file|user list|user data|account data|recipient list|recipient data|authentication server|auth server|address list|address book|user server|mail store|mailstore)':
    '550 No such user: could not connect to the user database',
  '(due to|because of|owing to|caused by|reason|after|following) (an?|some|the|our|this)? (internal|technical|system|server|backend|network|database|lookup|dns|ldap|configuration|unexpected|local|directory|software|hardware|storage|processing) (server|system|lookup|network|database|dns|directory|processing)? (failure|failures|error|errors|problem|problems|issue|issues|fault|condition|outage|trouble|difficult*)':
    '550 User not found because of an internal error',
  '(connection|connections|connecting) (to|with) (the|our|a)? ~ (directory|database|ldap|backend|back end|store|storage|upstream|lmtp|mailstore) (server)? ~ (refused|failed|lost|rejected|closed|reset|error|broken)':
    '550 Recipient lookup failed: connection to directory refused',
  '(storage|store|mailstore|mail store|disk|filesystem|file system|volume|partition|node|cluster|mailbox server|mailbox database|information store) (server|node)? (is|was|currently)? (currently|temporarily)? (offline|down|dismounted|not mounted|read only|inaccessible|not accessible|unreachable|unavailable)':
    '550 Requested action not taken: mailbox unavailable, storage offline',
  '(validity|existence|status) ~ (undetermined|not (known|determined|established)|could not be (determined|checked|established|verified))':
    '550 The validity of the recipient could not be determined',
};

/** The mailbox is there, and another process has locked it for a moment. */
const locked: Phrases = {
  '(locked|in use|busy|opened|held|accessed|used|reserved) (exclusively|currently)? (by|for|in) (another|other|a different|some other|an other|a concurrent|a running) (process*|session*|program*|client*|connection*|user*|deliver*|instance*|thread*|application*|task*|transaction*|server|agent)':
    '451 mailbox locked by another process',
  '(could not|cannot|unable to|failed to|failure to|error|timeout|timed out|time out|waiting) (in|while|on|when)? (lock|locking|get|getting|obtain|obtaining|acquire|acquiring|create|creating|open|for|set) (an?|the|exclusive)? (exclusive|dot|mailbox|mail|file)? (lock|lockfile|dotlock|mailbox|maildrop|mbox|spool)':
    '550 mailbox unavailable: could not obtain a lock',
  '(lock|lockfile|dotlock|locking) (file)? (timeout|timed out|failed|failure|error|exists|contention|conflict|problem)':
    '451 Mailbox lock timeout',
  '(mailbox|maildrop|mbox|spool) (is|was)? (currently|temporarily)? (being)? (moved|migrated|rebuilt|repaired|reindexed|restored|synchroni*|transferred|relocated|updated|converted) (to|right|at|now|currently|moment|by)?':
    '450 4.2.1 The mailbox is being moved, come back soon',
};

const unless: Phrases = {
  '(sender|senders|return path|helo|your (server|domain|host|ip|address|mail server))':
    '550 Sender verification timed out',
  '(has|have) (been)? (moved|migrated|transferred|relocated)':
    '551 The mailbox is moved: it has moved to example.net',
};

export const failedLookupRules: readonly Rule[] = [
  {
    reason: 'deferred',
    label: 'greylisted_or_temporary',
    when: { classes: [4], text: { ...passing, ...broken, ...locked }, unless },
  },
  {
    reason: 'try_again_later',
    label: 'greylisted_or_temporary',
    when: { classes: [5], text: { ...passing, ...locked }, unless },
    samples: ['550 Recipient not found: the LDAP query timed out'],
  },
  {
    reason: 'server_failure',
    label: 'other',
    when: { classes: [5], text: broken, unless },
  },
];
