/**
 * Complaints about the envelope sender, the proof of who sent (SPF, DKIM, DMARC; RFC 7372), the right to relay, and
 * the manner of the connection (authentication, TLS). The mailbox has not been looked at, or the answer is withheld.
 */
import type { Rule } from './rule.ts';

export const senderRules: readonly Rule[] = [
  {
    reason: 'sender_refused',
    label: 'blocked_or_policy',
    when: {
      text: [
        'sender (address|domain|email|mail|host|name|id|mailbox|addr|ip|server)? (addr)? (is|was|has been|are)? (rejected|refused|denied|blocked|unknown|invalid|forged|spoofed|faked?|forbidden|prohibited|disabled|suspended|banned|restricted|unverified|unvalidated|blacklisted|not (allowed|accepted|permitted|authorized|authorised|found|valid|verified|exist|exists|recognized|trusted|local|known|resolvable|in))',
        'sender (address|domain|email|mail|host|name|addr)? ~ (does not|did not|must|cannot|could not|has no|not) (exist|resolve|be|have|accept|match|verify|found|mx|a valid|valid)',
        '(sender|return path|from) (address|domain)? (verify|verification|validation|callout|callback|check|authentication|id) ~ (fail*|error|required|denied|unsuccessful|not)?',
        '(invalid|bad|unknown|fake|faked|forged|spoofed|unverified|unresolvable|illegal|malformed|suspected|suspicious|blocked|rejected|unauthorized|unauthorised|null|empty|missing|unacceptable|wrong|denied|unwanted|banned|reject) ~ (sender|senders|return path|mail from|mailfrom|from address|originator|sending domain|from header|from domain)',
        '(sender|senders|sender address|mail from|mailfrom|from address|from domain|originator|return path|reverse path|envelope from|envelope sender|header from|sending domain|sender domain|sending address) ~ (rejected|refused|denied|blocked|invalid|not (allowed|accepted|permitted|authorized|valid|found)|must|does not|forbidden|disallowed|unknown|blacklist*|black list*|list|prohibited|mismatch|not match|syntax|unacceptable|unauthorized)',
        '(domain|address) of sender',
        '(mail from|mailfrom|envelope from|return path|from) domain ~ (has|have|with|without)? (no|not|missing|invalid|without)',
        '(return|reply|bounce|originating) (address|path) ~ (cannot|could not|not|unable|fail*|invalid|unknown|rejected|must|bad)',
        '(address|domain|account|mailbox) (you are|you were|being)? (sending|mailing|sent) from',
        '(syntax|address) (error)? in mail (from|command)? $',
        '(unrouteable|unroutable|undeliverable) sender',
        '(sender|mail from) (address)? is not (an?)? (valid|known|registered|existing)',
        '(domain|address) ~ does not exist sender',
        '(badmailfrom|badsender|my badmailfrom|senderfilter*|envelope blocked)',
        'your (envelope|from|sender|sending|email|return) (sender|address|domain|path|email) ~ (rejected|refused|denied|blocked|invalid|not|does|must|in|on|is|has|list|been|cannot|could)',
        '(host|server|system) (denies|rejects|refuses) (the)? sender',
        '(verif*|validat*|authenticat*) (the|your|of)? (sender|sending) (address|domain|server|host)?',
        '(mail|email|messages) (from|by) (addr|this sender|this address|that sender|your domain|this domain|you|that domain|your address|the sender) ~ (not|rejected|refused|denied|blocked|prohibited|is|are|will|has|cannot|disallowed|banned)',
        '(permission|permissions|allowed|right|rights) to send as',
        '(bounce|bounces|null sender|dsn|delivery status notifications?|backscatter) ~ (not (accepted|allowed|permitted)|rejected|refused|denied|disallowed)',
        '(does not|not|cannot|unable to|will not) (accept|receive|allow) ~ (bounces?|null sender|backscatter)',
        '(addr|user|domain) (is)? not (allowed|authorized|permitted) to send',
        '(not|is not) (authorized|authorised|allowed|permitted) to (send|submit|use this sender|use the sender) ~',
        '(blocked|rejected|refused|denied) (by|for|because|due) ~ sender',
        'sender ~ (blocked|rejected|refused|denied|disallowed|prohibited)',
        '(spoof*|forged|impersonat*)',
        'suspected spam sender',
        '(your|sender) (account|mailbox) (is|was|has been) ~ (suspended|disabled|blocked|locked|restricted)',
      ],
    },
    samples: [
      '550 5.1.8 <verify@example.org>: Sender address rejected: no domain example.org found',
      '550 Sender verify failed',
      '553 sorry, your envelope sender is in my badmailfrom list (#5.7.1)',
      '501 5.1.7 Bad sender address syntax',
      '550 5.7.1 <verify@example.org>: Sender address rejected: User unknown in local recipient table',
      '451 4.1.8 Domain of sender address verify@example.org does not resolve',
      '550 5.7.60 SMTP; Client does not have permissions to send as this sender',
      '550 Mail from verify@example.org is not accepted here',
    ],
  },
  {
    reason: 'sender_refused',
    label: 'blocked_or_policy',
    when: {
      text: [
        '(emetteur|expediteur) ~ (invalide|refuse|inconnu|rejete|bloque|interdit|non autorise)',
        '(adresse|domaine) ~ (emetteur|expediteur)',
        '(absender*|absenderadresse) ~ (abgelehnt|unbekannt|ungultig|ungueltig|gesperrt|nicht|verweigert|blockiert)',
        '(remitente|emisor) ~ (rechazad*|desconocid*|invalid*|bloquead*|no)',
        '(remetente) ~ (rejeitad*|recusad*|desconhecid*|invalid*|bloquead*|nao)',
        '(mittente) ~ (rifiutat*|sconosciut*|non|bloccat*|invalid*)',
        '(afzender) ~ (geweigerd|onbekend|ongeldig|geblokkeerd|niet)',
        '*отправител*',
        '(*发件人*|*寄件人*|*送信者*|*発信者*|*差出人*|*발신자*|*보낸사람*)',
        '(saatja) ~ (keelatud|tundmatu|vale)',
      ],
    },
    samples: [
      '501 5.1.0 Emetteur invalide, voir OFR004_405',
      '550 Absender abgelehnt',
      '550 Remitente desconocido',
      '550 Адрес отправителя отклонён',
    ],
  },
  {
    // RFC 3463 x.1.7 and x.1.8, RFC 7504 x.1.9: all three are about the sender's address.
    reason: 'sender_refused',
    label: 'blocked_or_policy',
    when: { enhanced: ['*.1.7', '*.1.8', '*.1.9'] },
    samples: ['550 5.1.8 verify@example.org not good', '501 5.1.7 <verify@example.org>'],
  },
  {
    // RFC 7372: 5.7.20 to 5.7.24 (DKIM, SPF), 5.7.26 (several checks failed), 5.7.27 (null MX of the sender).
    reason: 'sender_authentication_failed',
    label: 'blocked_or_policy',
    when: {
      text: [
        '(*spf*|*dkim*|*dmarc*|domainkeys|sender id|senderid)',
        '(unauthenticated|authentication) (email|mail|message|messages|sender|results?|checks?|information)',
        '(mail|email|message) (is|was) unauthenticated',
        '(does not|not|did not|fails? to|failed to) (pass|meet) ~ (authentication|authorization)',
        'does not allow sending mails? from',
        '(not|is not) (a)? (designated|authorized|permitted|allowed) (sender|mailer|mail server|host|to send)',
        'invalid ip for sending mail of domain',
      ],
    },
    samples: [
      '550 5.7.26 This mail is unauthenticated, which poses a risk to the recipients',
      '550 5.7.23 SPF validation failed',
      '550 5.7.1 Rejected by the DMARC policy of example.org',
    ],
  },
  {
    reason: 'authentication_required',
    label: 'blocked_or_policy',
    when: {
      text: [
        '(authentication|auth|authorization|smtp auth|login|password) (command)? (is|was|has)? (required|needed|necessary|failed|failure|unsuccessful|rejected|disabled|not|error|invalid|credentials?|first|mechanism|unsupported)',
        '(must|need to|have to|should|please|requires?|required|first|not|without) ~ (authenticat*|log in|login|smtp auth|smtp authentication)',
        '(requires?|need|needs|requiring) (smtp)? (authentication|auth|login)',
        '(not|un) (authenticated|logged in)',
        'unauthenticated',
        '(check|pop|pop3) (mail|your mail|before) ~ (first|smtp|sending)',
        'pop before smtp',
        '(username|password|credentials) ~ (incorrect|invalid|not accepted|wrong|bad|not correct)',
        '(only|accept*|restricted) ~ (authenticated|authorized|authorised|registered|internal|local) (users?|senders?)',
        '(anonymous|authenticated) (client|sender|users?|access) ~ (not|denied|only|permission*)',
      ],
      unless: ['{who} (addr)? (is|was)? (unknown|not found)'],
    },
    samples: [
      '530 5.7.0 Authentication required',
      '550 5.7.1 Client was not authenticated',
      '535 5.7.8 Error: authentication failed',
      '550 you must check your mail first (POP before SMTP)',
    ],
  },
  {
    reason: 'tls_required',
    label: 'blocked_or_policy',
    when: {
      text: [
        '(tls|starttls|ssl|encryption|encrypted|certificate|plaintext) ~ (required|needed|require*|must|first|mandatory|not|fail*|error|only|unavailable|handshake|session|connection|negotiation|mode|enforced|expired|invalid|necessary|missing)',
        '(must|requires?|need|needs|use|issue|only|without|insufficient|requiring|lack of) ~ (tls|starttls|ssl|encryption|encrypted|secure connection|certificate)',
        '(secure|encrypted) (connection|session|channel|transport) (is)? (required|needed)',
        '(dane|mta sts|mta-sts|tlsa) ~ (fail*|valid*|policy|mismatch|error)',
      ],
      // RFC 3207 section 4: 454 is the server's own trouble.
      unless: [
        '(tls|starttls) (is|currently|temporarily)? (currently|temporarily)? (not available|unavailable)',
      ],
    },
    samples: [
      '530 5.7.0 Must issue a STARTTLS command first',
      '421 4.7.0 TLS required for RCPT domain, closing connection',
      '550 5.7.10 Encryption needed',
    ],
  },
  {
    reason: 'relaying_denied',
    label: 'blocked_or_policy',
    when: {
      text: [
        '(relay|relaying|relayed|relays|rely) (access|is|was|not|mail|to|of|for|through|attempt)? ~ (denied|prohibited|refused|rejected|not (allowed|permitted|authorized|authorised|available|accepted|possible)|disallowed|forbidden|blocked|disabled|restricted|failed|fail)',
        '(no|not|cannot|unable to|will not|does not|wont|denies|refuse to|denied|attempted to|prevented|not allowed to|unauthorized|illegal|attempt to|third party|3rd party|open|anonymous|not a) (an?|to|open|permit|permitted|allowed|authorized|allow)? (relay|relaying|relays|gateway|mail relay)',
        '(relay|relaying) (access)? (denied|prohibited)',
        '(is not|not|are not|was not) (in|on) (my|our|the) (list of)? (allowed)? (rcpthosts|rcpt hosts|relay domains?|list of allowed rcpthosts|local domains?)',
        '(*rcpthosts*)',
        'no mail enabled subscriptions',
        '(tenantattribution|tenant attribution)',
        '(local user only|local users only|only local)',
        'not (a)? gateway',
      ],
      unless: ['relay (recipient|recipients) (table|map*|list)', 'gateway (user|recipient|account|customer)'],
    },
    samples: [
      '554 5.7.1 Relay access denied for example.com',
      '550 5.7.64 TenantAttribution; Relay Access Denied',
      "553 sorry, that domain isn't in my list of allowed rcpthosts (#5.7.1)",
      '550 relaying to example.com is not allowed here',
      '550 5.7.1 Unable to relay for someone@example.com',
    ],
  },
  {
    // With RFC 3463 x.1.2 the same words say that the domain is unknown, and the code is believed.
    reason: 'domain_not_served',
    label: 'blocked_or_policy',
    when: {
      text: [
        '(mail|email|domain|messages?) (to|for)? ~ not (accepted|handled|hosted|serviced|served|allowed|relayed|supported|configured) (here|by (this|the) (host|server|system|mail server)|on this (host|server|system)|at this (host|server|site))',
        '(does not|not|cannot|will not|are not) (handle|accept|host|process|serve|take|receive|route|accepting) (mail|email|messages) (for|to) ~ (domain|host|site|you)?',
        '(domain|host) ~ (not|no longer) (hosted|local|served|handled|serviced|supported|configured|accepted|allowed|enabled|one of ours|ours|found here|my domain|registered) (here|by|on|at|in)?',
        '(not|non) (a)? (local|hosted|one of our|our|accepted) (domain|host|domains)',
        '(wrong|incorrect) (server|host|mx|mail server|mail host|mail exchanger|port)',
      ],
      unlessEnhanced: ['*.1.2'],
    },
    samples: ['550 Mail for example.com is not accepted here', '550 we do not handle mail for this domain'],
  },
];
