/**
 * Complaints about the envelope sender, the proof of who sent (SPF, DKIM, DMARC; RFC 7372), the right to relay, and
 * the manner of the connection (authentication, TLS). The mailbox has not been looked at, or the answer is withheld.
 */
import { aboutUsAbroad } from './languages/all-languages.ts';
import type { Rule } from './rule.ts';

export const senderRules: readonly Rule[] = [
  {
    reason: 'sender_refused',
    label: 'blocked_or_policy',
    when: {
      text: {
        'sender (address|domain|email|mail|host|name|id|mailbox|addr|ip|server)? (addr)? (is|was|has been|are)? (rejected|refused|denied|blocked|unknown|invalid|forged|spoofed|faked?|forbidden|prohibited|disabled|suspended|banned|restricted|unverified|unvalidated|blacklisted|not (allowed|accepted|permitted|authorized|authorised|found|valid|verified|exist|exists|recognized|trusted|local|known|resolvable|in))':
          '550 5.1.8 <verify@example.org>: Sender address rejected: no domain example.org found',
        'sender (address|domain|email|mail|host|name|addr)? ~ (does not|did not|must|cannot|could not|has no|not) (exist|resolve|be|have|accept|match|verify|found|mx|a valid|valid)':
          '451 4.1.8 Domain of sender address verify@example.org does not resolve',
        '(sender|return path|from) (address|domain)? (verify|verification|validation|callout|callback|check|authentication|id) ~ (fail*|error|required|denied|unsuccessful|not)?':
          '550 Sender verify failed',
        '(invalid|bad|bogus|unknown|fake|faked|forged|spoofed|unverified|unresolvable|illegal|malformed|suspected|suspicious|blocked|rejected|unauthorized|unauthorised|null|empty|missing|unacceptable|wrong|denied|unwanted|banned|reject) ~ (sender|senders|return path|mail from|mailfrom|from address|originator|sending domain|from header|from domain)':
          '501 5.1.7 Bad sender address syntax',
        '(sender|senders|sender address|mail from|mailfrom|from address|from domain|originator|return path|reverse path|envelope from|envelope sender|header from|sending domain|sender domain|sending address) ~ (rejected|refused|denied|blocked|invalid|not (allowed|accepted|permitted|authorized|valid|found)|must|does not|forbidden|disallowed|unknown|blacklist*|black list*|list|prohibited|mismatch|not match|syntax|malformed|missing|unacceptable|unauthorized)':
          '553 sorry, your envelope sender is in my badmailfrom list (#5.7.1)',
        '(domain|address) of sender':
          '451 4.1.8 Domain of sender address verify@example.org does not resolve',
        '(mail from|mailfrom|envelope from|return path|from) domain ~ (has|have|with|without)? (no|not|missing|invalid|without)':
          '550 The MAIL FROM domain has no MX',
        '(return|reply|bounce|originating) (address|path) ~ (cannot|could not|not|unable|fail*|invalid|unknown|rejected|must|bad)':
          '550 The return address is unknown',
        '(address|domain|account|mailbox) (you are|you were|being)? (sending|mailing|sent) from':
          '550 The address you are sending from looks wrong',
        '(*batv*|backscatter protection|*prvs*)': '550 BATV failed to verify',
        '(third party|unsigned|unsolicited) (dsns?|bounces?)': '550 No third-party DSNs',
        '(fully qualified|qualified) (email|sender)? address (is)? required':
          '550 Fully qualified email address required',
        'not owned by (user|auth* user|you)': '553 5.7.1 not owned by user',
        'domain name required (for sender|$)': '553 5.5.4 <verify>... Domain name required',
        '(syntax|address) (error)? in mail (from|command)? $': '553 Address error in MAIL command',
        '(domain|address) ~ does not exist sender': '550 Domain example.org does not exist (sender)',
        '(badmailfrom|badsender|my badmailfrom|senderfilter*|envelope blocked)':
          '553 sorry, your envelope sender is in my badmailfrom list (#5.7.1)',
        'your (envelope|from|sender|sending|email|return) (sender|address|domain|path|email) ~ (rejected|refused|denied|blocked|invalid|not|does|must|in|on|is|has|list|been|cannot|could)':
          '553 sorry, your envelope sender is in my badmailfrom list (#5.7.1)',
        '(verif*|validat*|authenticat*) (the|your|of)? (sender|sending) (address|domain|server|host)?':
          '550 We could not verify the sending server',
        '(mail|email|messages) (from|by) (addr|this sender|this address|that sender|your domain|this domain|you|that domain|your address|the sender) ~ (not|rejected|refused|denied|blocked|prohibited|is|are|will|has|cannot|disallowed|banned)':
          '550 Mail from verify@example.org is not accepted here',
        '(permission|permissions|allowed|right|rights) to send as':
          '550 5.7.60 SMTP; Client does not have permissions to send as this sender',
        '(bounce|bounces|null sender|dsn|delivery status notifications?|backscatter) ~ (not (accepted|allowed|permitted)|rejected|refused|denied|disallowed)':
          '550 Bounces are not accepted',
        '(does not|not|cannot|unable to|will not) (accept|receive|allow) ~ (bounces?|null sender|backscatter)':
          '550 someone@example.com will not accept any bounces',
        '(addr|user|domain) (is)? not (allowed|authorized|permitted) to send':
          '550 verify@example.org is not allowed to send',
        '(not|is not) (authorized|authorised|allowed|permitted) to (send|submit|use this sender|use the sender) ~':
          '550 You are not permitted to send here',
        'sender ~ (blocked|rejected|refused|denied|disallowed|prohibited)':
          '550 5.7.1 <verify@example.org>: Sender address rejected: User unknown in local recipient table',
        '(spoof*|forged|forger*|forging|impersonat*)': '550 5.7.1 Spoofing is not tolerated',
        '(your|sender) (account|mailbox) (is|was|has been) ~ (suspended|disabled|blocked|locked|restricted)':
          '550 Your account has been suspended',
      },
    },
  },
  {
    reason: 'sender_refused',
    label: 'blocked_or_policy',
    when: { text: aboutUsAbroad },
  },
  {
    // RFC 3463 x.1.7 and x.1.8, RFC 7504 x.1.9: all three are about the sender's address.
    reason: 'sender_refused',
    label: 'blocked_or_policy',
    when: { enhanced: ['*.1.7', '*.1.8', '*.1.9'] },
    samples: ['550 5.1.8 verify@example.org not good', '501 5.1.7 <verify@example.org>'],
  },
  {
    // No RFC knows it; Courier gives it for a fault of the sender's domain.
    reason: 'sender_refused',
    label: 'blocked_or_policy',
    when: { codes: [517] },
    samples: ['517 Domain does not exist: example.org.'],
  },
  {
    // RFC 7372: 5.7.20 to 5.7.24 (DKIM, SPF), 5.7.26 (several checks failed), 5.7.27 (null MX of the sender).
    reason: 'sender_authentication_failed',
    label: 'blocked_or_policy',
    when: {
      text: {
        '(*spf*|*dkim*|*dmarc*|domainkeys|sender id|senderid|purported responsible)':
          '550 5.7.23 SPF validation failed',
        '(unauthenticated|authentication) (email|mail|message|messages|sender|results?|checks?|information)':
          '550 5.7.26 Unauthenticated email from example.org is not taken',
        '(mail|email|message) (is|was) unauthenticated':
          '550 5.7.26 This mail is unauthenticated, which poses a risk to the recipients',
        '(does not|not|did not|fails? to|failed to) (pass|meet) ~ (authentication|authorization)':
          '550 5.7.515 It does not meet the required authentication level',
        'does not allow sending mails? from': '550 example.org does not allow sending mails from 192.0.2.7',
        '(not|is not) (a)? (designated|authorized|permitted|allowed) (sender|mailer|mail server|host|to send)':
          '550 192.0.2.7 is not a designated mailer of example.org',
      },
    },
    samples: ['550 5.7.1 Rejected by the DMARC policy of example.org'],
  },
  {
    reason: 'authentication_required',
    label: 'blocked_or_policy',
    when: {
      text: {
        '(authentication|auth|authorization|smtp auth|login|password) (command)? (is|was|has)? (required|needed|necessary|failed|failure|unsuccessful|rejected|disabled|not|error|invalid|credentials?|first|mechanism|unsupported)':
          '530 5.7.0 Authentication required',
        '(must|need to|have to|should|please|requires?|required|first|not|without) ~ (authenticat*|log in|login|smtp auth|smtp authentication)':
          '550 5.7.1 Client was not authenticated',
        '(requires?|need|needs|requiring) (smtp)? (authentication|auth|login)':
          '550 This host requires SMTP authentication',
        '(not|un) (authenticated|logged in)': '550 5.7.1 Client was not authenticated',
        unauthenticated: '550 5.7.1 Unauthenticated, bye',
        '(check|pop|pop3) (mail|your mail|before) ~ (first|smtp|sending)':
          '550 you must check your mail first (POP before SMTP)',
        'pop before smtp': '550 you must check your mail first (POP before SMTP)',
        '(password|credentials|username (or|and)) ~ (incorrect|invalid|not accepted|wrong|bad|not correct)':
          '535 Password incorrect',
        '(only|accept*|restricted) ~ (authenticated|authorized|authorised|registered|internal|local) (users?|senders?)':
          '550 Only for authenticated users',
        '(anonymous|authenticated) (clients?|senders?|users?|access) ~ (not|denied|only|permission*)':
          '530 5.7.57 Anonymous clients not welcome',
      },
      // RFC 4954 section 4.7.1: 454 is the server's own trouble.
      unless: {
        '(temporary|temporarily|transient) ~ (authentication|auth|login)':
          '454 4.7.0 Temporary authentication failure',
      },
    },
    samples: ['535 5.7.8 Error: authentication failed'],
  },
  {
    reason: 'tls_required',
    label: 'blocked_or_policy',
    when: {
      text: {
        '(tls*|ssl*|starttls) ~ (no longer|not|un*) (supported|accepted|allowed|available)':
          '550 TLSv1.0 is no longer supported',
        '(tls|starttls|ssl|encryption|encrypted|certificate|plaintext) ~ (required|needed|require*|must|first|mandatory|not|fail*|error|only|unavailable|handshake|session|connection|negotiation|mode|enforced|expired|invalid|necessary|missing)':
          '530 5.7.0 Must issue a STARTTLS command first',
        '(must|requires?|need|needs|use|issue|only|without|insufficient|requiring|lack of) ~ (tls|starttls|ssl|encryption|encrypted|secure connection|certificate)':
          '530 5.7.0 Must issue a STARTTLS command first',
        '(secure|encrypted) (connection|session|channel|transport) (is)? (required|needed)':
          '554 A secure connection is needed',
        '(dane|mta sts|mta-sts|tlsa) ~ (fail*|valid*|policy|mismatch|error)':
          '550 5.7.5 MTA-STS policy was not kept',
      },
      // RFC 3207 section 4: 454 is the server's own trouble.
      unless: {
        '(tls|starttls) (is|currently|temporarily)? (currently|temporarily)? (not available|unavailable)':
          '454 4.7.0 TLS not available',
      },
    },
    samples: ['421 4.7.0 TLS required for RCPT domain, closing connection', '550 5.7.10 Encryption needed'],
  },
  {
    reason: 'relaying_denied',
    label: 'blocked_or_policy',
    when: {
      text: {
        '(relay|relaying|relayed|relays|rely) (access|is|was|not|mail|to|of|for|through|attempt)? ~ (denied|prohibited|refused|rejected|not (allowed|permitted|authorized|authorised|available|accepted|possible)|disallowed|forbidden|blocked|disabled|restricted|failed|fail)':
          '554 5.7.1 Relay access denied for example.com',
        '(no|not|cannot|unable to|will not|does not|wont|denies|refuse to|denied|attempted to|prevented|not allowed to|unauthorized|illegal|attempt to|third party|3rd party|open|anonymous|not a) (an?|to|open|permit|permitted|allowed|authorized|allow)? (relay|relaying|relays|gateway|mail relay)':
          '550 5.7.1 Unable to relay for someone@example.com',
        '(relay|relaying) (access)? (denied|prohibited)': '550 5.7.64 TenantAttribution; Relay Access Denied',
        '(is not|not|are not|was not) (in|on) (my|our|the) (list of)? (allowed)? (rcpthosts|rcpt hosts|relay domains?|list of allowed rcpthosts|local domains?)':
          "553 sorry, that domain isn't in my list of allowed rcpthosts (#5.7.1)",
        '(*rcpthosts*)': "553 sorry, that domain isn't in my list of allowed rcpthosts (#5.7.1)",
        '(tenantattribution|tenant attribution)': '550 5.7.64 TenantAttribution; Relay Access Denied',
        '(local user only|local users only|only local)': '550 Local users only',
        '(insecure|unsecured|open) (mail)? relay': '550 Insecure mail relay',
        'not (configured|set up|allowed|authorized|permitted) to relay':
          '550 This system is not configured to relay',
        'not (a)? gateway': '571 This host is not a gateway',
      },
      unless: {
        'relay (recipient|recipients) (table|map*|list)':
          '550 5.1.1 User unknown in relay recipient table, relay denied',
        'gateway (user|recipient|account|customer)': '550 someone@example.com is not a gateway user',
      },
    },
    samples: ['550 relaying to example.com is not allowed here'],
  },
  {
    // With RFC 3463 x.1.2 the same words say that the domain is unknown, and the code is believed.
    reason: 'domain_not_served',
    label: 'blocked_or_policy',
    when: {
      text: {
        '(mail|email|domain|messages?) (to|for)? ~ not (accepted|handled|hosted|serviced|served|allowed|relayed|supported|configured) (here|by (this|the) (host|server|system|mail server)|on this (host|server|system)|at this (host|server|site))':
          '550 Mail for example.com is not accepted here',
        '(does not|not|cannot|will not|are not) (handle|accept|host|process|serve|take|receive|route|accepting) (mail|email|messages) (for|to) ~ (domain|host|site|you)?':
          '550 we do not handle mail for this domain',
        '(domain|host) ~ (not|no longer) (hosted|local|served|handled|serviced|supported|configured|accepted|allowed|enabled|one of ours|ours|found here|my domain|registered) (here|by|on|at|in)?':
          '550 The domain example.com is no longer hosted here',
        '(not|non) (a)? (local|hosted|one of our|our|accepted) (domain|host|domains)':
          '550 example.com: not a local domain',
        '(unverified|unconfirmed|inactive) (custom)? domain': '550 Unverified domain',
        '(wrong|incorrect) (server|host|mx|mail server|mail host|mail exchanger|port)':
          '550 Wrong server for example.com',
      },
      unlessEnhanced: ['*.1.2'],
      unless: {
        '(no such|unknown|invalid|nonexistent) {who}':
          '550 Mail to example.com is not accepted here: no such account',
        '(for|to) (this|that|the) (recipient|user|mailbox|address|account)':
          '550 5.2.1 We are not accepting messages for this recipient',
      },
    },
  },
];
