/**
 * Refusals of the asking side: the address on a block list, without reverse DNS, with a bad name, a bad past or no
 * right to connect. They say nothing of the mailbox, whatever the code in front of them (Postfix answers them at
 * RCPT).
 */
import type { Rule } from './rule.ts';

export const clientRules: readonly Rule[] = [
  {
    reason: 'listed_by_blocklist',
    label: 'blocked_or_policy',
    when: {
      text: {
        '(*spamhaus*|*spamcop*|*sorbs*|*barracudacentral*|*uceprotect*|*abuseat*|*dnsbl*|rbls?|*.rbl*|*rbl.*|*-rbl*|*hostkarma*|*mailspike*|*surriel*|*psbl*|*senderbase*|*senderscore*|*invaluement*|*njabl*|*dsbl*|*.ordb.*|*mail-abuse.*|*manitu*|*backscatterer*|*junkemailfilter*|*abusix*|*spamrats*|*blocklist.de*|*cloudmark*|*trustedsource*|*talosintelligence*|*ipcheck.proofpoint*|*spfbl*|*rfc-ignorant*|cbl|*.cbl.*|cbl.*|sbl|xbl|*sbl-xbl*|*csi.cloudmark*)':
          '554 5.7.1 Service unavailable; Client host [192.0.2.7] blocked using zen.spamhaus.org',
        '(blacklist*|blocklist*|denylist*|block-list*|black-list*|*blacklist|*blocklist|bl)':
          '451 4.7.1 IP temporarily blacklisted',
        '(black|block|deny) (list|listed|lists|listing)':
          '550 5.7.1 Your IP 192.0.2.7 is on our block list (S3150)',
        '(liste noire|listes noires|schwarze* liste|sperrliste*|blockliste*|lista negra|listas negras|lista nera|liste nere|zwarte lijst|czarn* list*|czarnej liscie|kara liste*|*черн* спис*|chernyj spisok|*黑名单*|*黑名單*|*ブラックリスト*|*블랙리스트*)':
          '554 Votre serveur est sur une liste noire',
        '(blocked|rejected|refused|denied|listed|found|present) (using|by|in|on|at|via|through) ~ (list|lists|dnsbl|rbl|zone|database|bl|blocklist|blacklist|reputation)':
          '550 192.0.2.7 was found in our database',
        'blocked using *':
          '554 5.7.1 Service unavailable; Client host [192.0.2.7] blocked using zen.spamhaus.org',
        '{us} ~ (is|are|was|has been) ~ listed (in|on|at|by)':
          '550 Rejected: 192.0.2.7 is listed at bl.example.org',
        '(open)? (proxy|proxies|zombie|botnet)': '550 192.0.2.7 is an open proxy',
        'dynamic (ip|ips|address|addresses|host*|pool|range|dialup)':
          '554 Refused. Your address is in a dynamic IP range, use the server of your provider',
        '(dialup|dial up|residential|dsl) ~ (ip|ips|address*|host*|pool|range|connections?|users?)':
          '554 Dialup hosts may not send here',
        '(spam|spammer|spammers) (source|sources|host|ip|network|site|server|list)':
          '550 192.0.2.7 is a known spam source',
        'listed ~ (spam|abuse)': '550 You are listed because of spam',
        '(dropped|blocked|rejected|refused|denied|because|is|are|was|currently|client|connection|ip|ipaddr) listed (in|on|at|by) *.*':
          '550 Connection dropped: listed in bl.example.net',
      },
    },
    samples: ['553 5.7.1 [BL21] 192.0.2.7 may not connect, Spamhaus lists it'],
  },
  {
    reason: 'bad_reputation',
    label: 'blocked_or_policy',
    when: {
      text: {
        reputation: '421 4.7.0 Mail deferred because of the low reputation of the sending domain',
        '(poor|low|bad) (sender)? (score|trust|reputation)':
          '421 4.7.0 Mail deferred because of the low reputation of the sending domain',
        '(untrusted|suspicious|new or untrusted) (ip|ips|host|network|sender|source|client|address|domain|server)':
          '451 4.7.1 So many messages from an untrusted IP (192.0.2.7) are not taken at once',
        '(unusual|suspicious|abnormal|high|unexpected) (rate|amount|number|volume|level|traffic) ~ (unsolicited|spam|complaints?|mail|email|ip|ipaddr)?':
          '421 4.7.0 [TSS04] Messages from 192.0.2.7 temporarily deferred due to unexpected volume or user complaints',
        '(complaints?|complained|abuse) (from|about|by|rate|of|reports?|detected) ~ (users?|members?|recipients?|subscribers?|ip|ipaddr|network|your)?':
          '421 4.7.0 Complaints about your mail came in',
        '(bounce|dos|ddos|relay|mail|flood) attacks?': '550 You take part in a bounce attack',
        '(spam|abuse|complaint) (rate|complaints?|reports?|activity|attack|behaviou?r)':
          '421 The complaint rate of what you send is above the limit',
        'temporarily deferred due to (user complaints|unexpected volume)':
          '421 4.7.0 [TSS04] Messages from 192.0.2.7 temporarily deferred due to unexpected volume or user complaints',
        '(banned|bad|black|blocked|unauthorized|unacceptable|forbidden|listed) (sending|sender|client|source|remote)? (ip|ips|ipaddr|server|network|subnet|mta)':
          '550 5.7.606 Access denied, banned sending IP [192.0.2.7]',
        '(not|never) (in|on) ~ (whitelist|white list|allowlist|allow list|welcomelist)':
          '421 4.7.0 Your address is not on our allow list',
        '(delist*|unblock|whitelist*|remov* from ~ list|removal request)':
          '550 ask for delisting at https://postmaster.example/',
      },
    },
    samples: ['550 5.7.1 An unusual rate of unsolicited mail comes from your IP'],
  },
  {
    // RFC 7372 section 3.3: 5.7.25.
    reason: 'no_reverse_dns',
    label: 'blocked_or_policy',
    when: {
      text: {
        '(reverse|rdns|ptr|fcrdns|in-addr.arpa|*.in-addr.arpa)':
          '450 4.7.25 Client host rejected: cannot find your reverse hostname, [192.0.2.7]',
        // Said of the sender's domain, beside "mailbox unavailable" and under any code.
        '(invalid|bad|wrong|broken|incorrect|bogus) (dns)? mx (or|and) (a|aaaa) (or|and)? (aaaa)? (resource)? (records?|rrs?)':
          '550 5.1.2 Requested action not taken: mailbox unavailable, invalid DNS MX or A/AAAA resource record',
        '(ip|ipaddr) ~ not (found|registered|known|listed|recognized)': '550 192.0.2.7 is not known in DNS',
      },
    },
    samples: [
      '554 5.7.1 Missing PTR record for 192.0.2.7',
      '550 the reverse name of your address was not found',
    ],
  },
  {
    reason: 'no_reverse_dns',
    label: 'blocked_or_policy',
    when: {
      text: {
        '(unresolv*|unresolvable)': '550 5.7.1 Unresolvable name of the client',
        '(no|missing|without|invalid|bad|generic|wrong) ~ (a record|mx record|dns record|dns entry)':
          '550 Your domain has no MX record',
        '(no|missing|without|invalid|bad|wrong|broken|unresolvable|incorrect|bogus) (dns)? (mx|a|aaaa|dns|resource) (or|and)? (mx|a|aaaa|resource)? (or|and)? (a|aaaa|resource)? (resource)? (records?|rrs?|entry|entries)':
          '550 Mailbox unavailable, invalid DNS A resource record',
        '(cannot|could not|unable to|failed to|does not|did not|must|not) (find|resolve|lookup|look up|determine|verify) ~ (hostname|host name|ip|ipaddr|domain|your|client|dns|host)':
          '450 4.7.1 Could not resolve the name of your host',
        '(hostname|host name|host|ip|ipaddr|client|server|domain) (addr|ipaddr)? (does not|did not|not|must|cannot be|could not be|failed to) (resolve|match|resolvable|resolved)':
          '550 5.7.1 Client host rejected: host name does not match the address',
        '(dns|hostname|host name) (check|record|records|entry|entries|verification|mismatch|validation) ~ (fail*|missing|required|mismatch|incorrect|not|error|must)':
          '550 DNS check failed for mail.example.org',
        '(client|host|server|name) ~ not (found|known|listed|registered) in (the)? dns':
          '550 Client was not found in DNS',
        'hostname (mismatch|lookup)': '550 Hostname mismatch, go and mend it',
        'forward confirmed': '550 Your name must be forward confirmed',
        '(cannot|could not) find your': '450 4.7.1 Cannot find your hostname',
        'does not (have|has) ~ (dns|hostname)': '550 The client does not have a valid hostname',
        'ip (name)? lookup failed': '550 IP name lookup failed for 192.0.2.7',
      },
      // RFC 3463 x.1.2 and x.4.4: the destination is meant.
      unlessEnhanced: ['*.1.2', '*.4.4'],
      unless: {
        '{who} ~ (unknown|does not exist|not found)': '550 Could not resolve host: recipient unknown',
        '(rcpt|recipient|destination) (domain|host|computer|server|system)':
          '550 Could not find the destination host',
      },
    },
    samples: ['550 IP address 192.0.2.7 not found in DNS'],
  },
  {
    reason: 'helo_refused',
    label: 'blocked_or_policy',
    when: {
      text: {
        '(helo|ehlo|heloname|helohost) ~ (should|shall|fqdn|literal|rejected|refused|invalid|bad|bogus|must|not|denied|error|fail*|mismatch|match|require*|forged|fake|resolve|violat*|policy|blocked|name|command|own|hostname|dynamic|localhost|unknown|no such)':
          '504 5.5.2 <localhost>: Helo command rejected: need fully-qualified hostname',
        '(bad|invalid|bogus|forged|wrong|suspicious|fake|missing|unresolvable|illegal|incorrect|no) ~ (helo|ehlo)':
          '550 5.7.506 Access Denied, Bad HELO',
        'need fully qualified hostname':
          '504 5.5.2 <localhost>: Helo command rejected: need fully-qualified hostname',
        'fully qualified (hostname|domain)':
          '504 5.5.2 <localhost>: Helo command rejected: need fully-qualified hostname',
      },
      unless: {
        '(send|say|use|issue|need|expect*|require*|after|before) ~ (helo|ehlo) ~ first':
          '503 Bad command, send HELO first',
      },
    },
    samples: ['550 HELO name does not resolve'],
  },
  {
    reason: 'client_refused',
    label: 'blocked_or_policy',
    when: {
      text: {
        'client (host|ip|ipaddr|address|server)? (was|is|has been)? (rejected|refused|blocked|denied|banned|not allowed|not authorized|temporarily)':
          '554 5.7.1 <mail.example.net[192.0.2.7]>: Client host rejected: Access denied',
        '(your|this|the|sending|remote|connecting|source|originating) (mail|smtp|email|sending|remote)? (ip|ips|ipaddr|host|server|network|subnet|domain|isp|mta|system|computer|access|provider|country|ip address|tld) ~ (blocked|rejected|refused|denied|banned|barred|not (allowed|permitted|authorized|accepted|welcome)|blocking|locked|suspended|prohibited|restricted|disallowed|unauthorized|blackholed|deferred|throttled|infected|compromised|suspected|violat*|policy|sending|sends|sent|has been sending)':
          '550 Your host is not allowed to connect here',
        '(ip|ips|ipaddr|host|server|network|netblock|subnet|country) (address|addresses)? ~ (is|are|was|has been|have been|been|being) (currently|temporarily|permanently|now)? (blocked|rejected|refused|denied|banned|barred|locked|suspended|prohibited|restricted|disallowed|blackholed|not (allowed|permitted|authorized|accepted|welcome)|unwelcome)':
          '550 Your host is not allowed to connect here',
        '(blocked|rejected|refused|denied|banned|barred|blocking|rejecting|refusing) (your|this|the|all|any)? (mail|email|messages?|connections?|traffic|smtp)? (from|of)? (your|this|the|all)? (ip|ips|ipaddr|network|subnet|country|ip address)':
          '421 Connection refused from 192.0.2.7',
        '(blocked|rejected|refused|denied|banned|barred|blocking|rejecting|refusing) ~ from (your|this|the|all)? (host|server|client|domain)':
          '550 We are refusing what comes from your server',
        '(connection|connections|connect|session) (from|to|by)? ~ (refused|rejected|denied|not allowed|not accepted|blocked|prohibited|will not be accepted|not permitted|not authorized|forbidden)':
          '421 Connection refused from 192.0.2.7',
        '(not|no longer) (allowed|permitted|authorized|authorised|welcome|able) to (connect|access|use|talk)':
          '550 Your host is not allowed to connect here',
        '(not accepting|cannot accept|will not accept|refuse*|reject*|does not accept|no longer accept) (any)? (mail|email|messages|connections|smtp|traffic) (from|by) ~ (your|this|ip|ipaddr|host|server|network|domain|you|address|source|isp)':
          '550 We do not accept mail from your network',
        '(mail|email|messages|connections|traffic) from ~ (ip|ipaddr|host|your|server|network|country|isp) ~ (refused|rejected|denied|blocked|not (allowed|accepted|permitted)|banned|unwelcome|prohibited|deferred|restricted)':
          '550 Mail from 192.0.2.7 refused',
        '(no smtp service (for|to|here|ip)|deny smtp access|no smtp access)':
          '554 mx.example.org No SMTP service for you, bye',
        'go away': '450 4.7.1 Go away',
        '(black|blocked|banned) (mail|email)? (address|addresses|domain|domains)': '554 Black mail address',
        '(openrelay|open-relay|open relay|openproxy)': '554 openrelay check',
        '(remote|client|source|peer|sending) (ip|host|address) (is|check|was)? (check|forbidden|error|mismatch|failed|failure|unknown)':
          '556 remote ip check error',
        '(unverif*|unverifiable|unregistered|unapproved) (sending|sender|mail)? (ips?|hosts?|servers?|clients?)':
          '550 No unverified sending IPs',
        '(confirm|register) (this|your) (mail)? (server|host|ip|address|domain)':
          '550 confirm this mail server',
        'in prison': '550 ip in prison',
        '(accept|accepts|accepting|take|takes|want|wants|allow|allows) no (mail|email|messages|connections|traffic) from':
          '550 this gateway accepts no mail from lines of homes',
        'access (denied|blocked|refused) (by|for|to) ~ (ip|ipaddr|host|server|network|client|your)':
          '550 Access denied to your client',
        '(ip|ipaddr|host) (is)? (denied|rejected|hangup|blocked|banned|black*)':
          '450 4.7.1 Client host rejected: service refused, please try later',
        'ip (based|address based|address) ~ (restriction|restrictions|policy|block|blocked|denied|rejected|refused|not (allowed|authorized|permitted))':
          '550 IP based restrictions keep you out',
        '(direct to mx|direct mx)': '554 No direct-to-mx mail, please',
        'invalid (ip|ipaddr)': '550 invalid ip',
        '(messages?|mail|email) from ipaddr (were|was|could) not (be)? (sent|delivered|accepted)':
          '550 5.7.1 Messages from [192.0.2.7] were not sent',
        'ask your postmaster for help': '550 Sorry, ask your postmaster for help',
        '(unknown|unrecognized|unregistered) (client|host ipaddr|ipaddr|ip|network)': '550 Unknown client',
        '(not available|unavailable) (for|to) your (ip|host|network|server)':
          '554 Service is not available to your network',
        '(ip|ipaddr|host|server) ~ (gesperrt|blockiert|bloque|bloquee|bloquead*|bloccat*|geblokkeerd|заблокирован*|blokeeritud|zablokowan*)':
          '554 Ihre IP ist gesperrt',
        'not (a|an) (authorized|allowed|permitted|trusted|approved) (host|ip|server|sender|relay|client|source|network)':
          '550 192.0.2.7 is not an approved source',
      },
      // RFC 3463 x.4.x: it is the host behind, or the network, that did not answer.
      unlessEnhanced: ['4.4.*'],
    },
  },
  {
    // Said with a 5xx it is meant for this client; with a 4xx the server may just be going down.
    reason: 'client_refused',
    label: 'blocked_or_policy',
    when: {
      classes: [5],
      text: {
        'dns lookup (failure|failed)': '550 DNS lookup failure for mail.example.org',
        '(not|no longer) (currently)? accepting connections':
          '554 mx.example.net is not accepting connections',
        '(refusing|rejecting) connections': '554 This host is refusing connections',
      },
    },
  },
];
