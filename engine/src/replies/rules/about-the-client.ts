/**
 * Refusals of whoever is asking: the address on a block list, without reverse DNS, with a bad name, a bad past or no
 * right to connect. They say nothing of the mailbox, whatever the code in front of them (Postfix answers them at RCPT).
 */
import type { Rule } from './rule.ts';

export const clientRules: readonly Rule[] = [
  {
    reason: 'listed_by_blocklist',
    label: 'blocked_or_policy',
    when: {
      text: [
        '(*spamhaus*|*spamcop*|*sorbs*|*barracudacentral*|*uceprotect*|*abuseat*|*dnsbl*|rbls?|*.rbl*|*rbl.*|*-rbl*|*hostkarma*|*mailspike*|*surriel*|*psbl*|*senderbase*|*senderscore*|*invaluement*|*njabl*|*dsbl*|*.ordb.*|*mail-abuse.*|*manitu*|*backscatterer*|*junkemailfilter*|*abusix*|*spamrats*|*blocklist.de*|*cloudmark*|*trustedsource*|*talosintelligence*|*ipcheck.proofpoint*|*spfbl*|*rfc-ignorant*|cbl|*.cbl.*|cbl.*|sbl|xbl|*sbl-xbl*|*csi.cloudmark*)',
        '(blacklist*|blocklist*|denylist*|block-list*|black-list*|*blacklist|*blocklist|bl)',
        '(black|block|deny) (list|listed|lists|listing)',
        '(liste noire|listes noires|schwarze liste|schwarzen liste|lista negra|listas negras|lista nera|liste nere|zwarte lijst|*черн* спис*|*чёрн* спис*|*黑名单*|*黑名單*|*ブラックリスト*|*블랙리스트*)',
        '(blocked|rejected|refused|denied|listed|found|present) (using|by|in|on|at|via|through) ~ (list|lists|dnsbl|rbl|zone|database|bl|blocklist|blacklist|reputation)',
        'blocked using *',
        '{us} ~ (is|are|was|has been) ~ listed (in|on|at|by)',
        '(open)? (proxy|proxies|zombie|botnet)',
        'dynamic (ip|ips|address|addresses|host*|pool|range|dialup)',
        '(dialup|dial up|residential|dsl) ~ (ip|ips|address*|host*|pool|range|connections?|users?)',
        '(spam|spammer|spammers) (source|sources|host|ip|network|site|server|list)',
        'listed ~ (spam|abuse)',
      ],
    },
    samples: [
      '554 5.7.1 Service unavailable; Client host [192.0.2.7] blocked using zen.spamhaus.org',
      '550 5.7.1 Your IP 192.0.2.7 is on our block list (S3150)',
      '553 5.7.1 [BL21] 192.0.2.7 may not connect, Spamhaus lists it',
      '550 Rejected: 192.0.2.7 is listed at bl.example.org',
      '554 Refused. Your address is in a dynamic IP range, use the server of your provider',
      '451 4.7.1 IP temporarily blacklisted',
    ],
  },
  {
    reason: 'bad_reputation',
    label: 'blocked_or_policy',
    when: {
      text: [
        'reputation',
        '(poor|low|bad) (sender)? (score|trust|reputation)',
        '(untrusted|suspicious|new or untrusted) (ip|ips|host|network|sender|source|client|address|domain|server)',
        '(unusual|suspicious|abnormal|high|unexpected) (rate|amount|number|volume|level|traffic) ~ (unsolicited|spam|complaints?|mail|email|ip|ipaddr)?',
        '(complaints?|complained|abuse) (from|about|by|rate|of|reports?|detected) ~ (users?|members?|recipients?|subscribers?|ip|ipaddr|network|your)?',
        '(bounce|dos|ddos|relay|mail|flood) attacks?',
        '(spam|abuse|complaint) (rate|complaints?|reports?|activity|attack|behaviou?r)',
        'temporarily deferred due to (user complaints|unexpected volume)',
        '(banned|bad|black|blocked|unauthorized|unacceptable|forbidden|listed) (sending|sender|client|source|remote)? (ip|ips|ipaddr|server|network|subnet|mta)',
        '(not|never) (in|on) ~ (whitelist|white list|allowlist|allow list|welcomelist)',
        '(delist*|unblock|whitelist*|remov* from ~ list|removal request)',
      ],
    },
    samples: [
      '421 4.7.0 Mail deferred because of the low reputation of the sending domain',
      '550 5.7.606 Access denied, banned sending IP [192.0.2.7]',
      '421 4.7.0 [TSS04] Messages from 192.0.2.7 temporarily deferred due to unexpected volume or user complaints',
      '550 5.7.1 An unusual rate of unsolicited mail comes from your IP',
      '550 ask for delisting at https://postmaster.example/',
      '451 4.7.1 So many messages from an untrusted IP (192.0.2.7) are not taken at once',
    ],
  },
  {
    // RFC 7372 section 3.3: 5.7.25.
    reason: 'no_reverse_dns',
    label: 'blocked_or_policy',
    when: {
      text: [
        '(reverse|rdns|ptr|fcrdns|in-addr.arpa|*.in-addr.arpa)',
        '(ip|ipaddr) ~ not (found|registered|known|listed|recognized)',
      ],
    },
    samples: [
      '450 4.7.25 Client host rejected: cannot find your reverse hostname, [192.0.2.7]',
      '554 5.7.1 Missing PTR record for 192.0.2.7',
      '550 the reverse name of your address was not found',
    ],
  },
  {
    reason: 'no_reverse_dns',
    label: 'blocked_or_policy',
    when: {
      text: [
        '(unresolv*|unresolvable)',
        '(no|missing|without|invalid|bad|generic|wrong) ~ (a record|mx record|dns record|dns entry)',
        '(cannot|could not|unable to|failed to|does not|did not|must|not) (find|resolve|lookup|look up|determine|verify) ~ (hostname|host name|ip|ipaddr|domain|your|client|dns|host)',
        '(hostname|host name|host|ip|ipaddr|client|server|domain) (addr|ipaddr)? (does not|did not|not|must|cannot be|could not be|failed to) (resolve|match|resolvable|resolved)',
        '(dns|hostname|host name) (check|record|records|entry|entries|verification|mismatch|validation) ~ (fail*|missing|required|mismatch|incorrect|not|error|must)',
        'hostname (mismatch|lookup)',
        'forward confirmed',
        '(cannot|could not) find your',
        'does not (have|has) ~ (dns|hostname)',
        'ip (name)? lookup failed',
      ],
      unless: ['{who} ~ (unknown|does not exist|not found)', '(rcpt|recipient|destination) (domain|host)'],
    },
    samples: [
      '550 IP address 192.0.2.7 not found in DNS',
      '550 IP name lookup failed for 192.0.2.7',
      '550 5.7.1 Client host rejected: host name does not match the address',
    ],
  },
  {
    reason: 'helo_refused',
    label: 'blocked_or_policy',
    when: {
      text: [
        '(helo|ehlo|heloname|helohost) ~ (rejected|refused|invalid|bad|bogus|must|not|denied|error|fail*|mismatch|match|require*|forged|fake|resolve|violat*|policy|blocked|name|command|own|hostname|dynamic|localhost)',
        '(bad|invalid|bogus|forged|wrong|suspicious|fake|missing|unresolvable|illegal|incorrect|no) ~ (helo|ehlo)',
        'need fully qualified hostname',
        'fully qualified (hostname|domain)',
      ],
      unless: [
        '(send|say|use|issue|need|expect*|require*|after|before) ~ (helo|ehlo) ~ first',
        'polite people say (helo|ehlo)',
      ],
    },
    samples: [
      '504 5.5.2 <localhost>: Helo command rejected: need fully-qualified hostname',
      '550 5.7.506 Access Denied, Bad HELO',
      '550 HELO name does not resolve',
    ],
  },
  {
    reason: 'client_refused',
    label: 'blocked_or_policy',
    when: {
      text: [
        'client (host|ip|ipaddr|address|server)? (was|is|has been)? (rejected|refused|blocked|denied|banned|not allowed|not authorized|temporarily)',
        '(your|this|the|sending|remote|connecting|source|originating) (mail|smtp|email|sending|remote)? (ip|ips|ipaddr|host|server|network|subnet|domain|isp|mta|system|computer|access|provider|country|ip address|tld) ~ (blocked|rejected|refused|denied|banned|barred|not (allowed|permitted|authorized|accepted|welcome)|blocking|locked|suspended|prohibited|restricted|disallowed|unauthorized|blackholed|deferred|throttled|infected|compromised|suspected|violat*|policy|sending|sends|sent|has been sending)',
        '(ip|ips|ipaddr|host|server|network|netblock|subnet|country) (address|addresses)? ~ (is|are|was|has been|have been|been|being) (currently|temporarily|permanently|now)? (blocked|rejected|refused|denied|banned|barred|locked|suspended|prohibited|restricted|disallowed|blackholed|not (allowed|permitted|authorized|accepted|welcome)|unwelcome)',
        '(blocked|rejected|refused|denied|banned|barred|blocking|rejecting|refusing) (your|this|the|all|any)? (mail|email|messages?|connections?|traffic|smtp)? (from|of)? (your|this|the|all)? (ip|ips|ipaddr|network|subnet|country|ip address)',
        '(blocked|rejected|refused|denied|banned|barred|blocking|rejecting|refusing) ~ from (your|this|the|all)? (host|server|client|domain)',
        '(connection|connections|connect|session) (from|to|by)? ~ (refused|rejected|denied|not allowed|not accepted|dropped|blocked|prohibited|will not be accepted|not permitted|not authorized|forbidden)',
        '(not|no longer) (allowed|permitted|authorized|authorised|welcome|able) to (connect|access|use|talk)',
        '(not accepting|cannot accept|will not accept|refuse*|reject*|does not accept|no longer accept) (any)? (mail|email|messages|connections|smtp|traffic) (from|by) ~ (your|this|ip|ipaddr|host|server|network|domain|you|address|source|isp)',
        '(mail|email|messages|connections|traffic) from ~ (ip|ipaddr|host|your|server|network|country|isp) ~ (refused|rejected|denied|blocked|not (allowed|accepted|permitted)|banned|unwelcome|prohibited|deferred|restricted)',
        '(no|deny) smtp (service|access)',
        'go away',
        'access (denied|blocked|refused) (by|for|to) ~ (ip|ipaddr|host|server|network|client|your)',
        '(ip|ipaddr|host) (is)? (denied|rejected|hangup|blocked|banned|black*)',
        'ip (based|address based|address) ~ (restriction|restrictions|policy|block|blocked|denied|rejected|refused|not (allowed|authorized|permitted))',
        '(direct to mx|direct mx)',
        'invalid (ip|ipaddr)',
        '(messages?|mail|email) from ipaddr (were|was|could) not (be)? (sent|delivered|accepted)',
        'ask your postmaster for help',
        '(unknown|unrecognized|unregistered) (client|host ipaddr|ipaddr|ip|network)',
        '(not available|unavailable) (for|to) your (ip|host|network|server)',
        '(ip|ipaddr|host|server) ~ (gesperrt|blockiert|bloque|bloquee|bloquead*|bloccat*|geblokkeerd|заблокирован*|blokeeritud|zablokowan*)',
        'not (a|an) (authorized|allowed|permitted|trusted|approved) (host|ip|server|sender|relay|client|source|network)',
      ],
      // RFC 3463 x.4.x: it is the host behind, or the network, that did not answer.
      unlessEnhanced: ['4.4.*'],
    },
    samples: [
      '554 5.7.1 <mail.example.net[192.0.2.7]>: Client host rejected: Access denied',
      '550 Your host is not allowed to connect here',
      '554 mx.example.org No SMTP service for you, bye',
      '421 Connection refused from 192.0.2.7',
      '550 We do not accept mail from your network',
      '550 Mail from 192.0.2.7 refused',
      '450 4.7.1 Client host rejected: service refused, please try later',
    ],
  },
  {
    // Said with a 5xx it is meant for this client; with a 4xx the server may just be going down.
    reason: 'client_refused',
    label: 'blocked_or_policy',
    when: {
      classes: [5],
      text: ['(not|no longer) (currently)? accepting connections', '(refusing|rejecting) connections'],
    },
    samples: ['554 mx.example.net is not accepting connections'],
  },
];
