/**
 * Refusals that name a rule of the house: policy, prohibition, restriction, the recipient's own wishes. The mailbox
 * may exist or not, the server does not say.
 */
import type { Rule } from './rule.ts';

export const policyRules: readonly Rule[] = [
  {
    reason: 'policy',
    label: 'blocked_or_policy',
    when: {
      text: {
        '(policy|policies|politique|richtlinie*|politica|politicas|beleid|политик*)':
          '550 5.7.1 Message refused by local policy',
        '(administrative|administratively) (prohibition|prohibited|rejection|refusal|lock out|denied|reject)':
          '554 Administrative prohibition',
        '(security|compliance|firewall|acl) (reason|reasons|violation|rule|rules|policy|restriction|restrictions|check|settings|risk|threat)':
          '550 Stopped for security reasons',
        '(local|site|system|organization|company|user|recipient|domain) (policy|policies|preferences?|restrictions?|rule|rules|configuration settings)':
          '550 5.1.1 RCP-P2 not delivered because of recipient preferences',
        'recipient preferences': '550 5.1.1 RCP-P2 not delivered because of recipient preferences',
        '(prohibited|forbidden|disallowed|rejected|blocked|denied|refused|stopped) by (the|our|your|its|an?|user|this|recipient|local|customer|administrator)? ~ (administrator|admin|rule|rules|owner|recipient|user|customer|organization|domain|server|filter*|settings|policy|configuration|system|site|acl|firewall|preferences|postmaster|management)':
          '550 5.7.1 Message refused by local policy',
        '(restricted|restriction|restrictions|not allowed|permission|permissions|unauthorized|unauthorised) (to|for|on|by|from)? ~ (group|list|members?|distribution|send*|post*|deliver*|recipient|mailbox|address|inbound|this)':
          '550 This address is restricted to a group of people',
        '(delivery|mail|access|sending|posting) (to|for) (this|that|the)? ~ (restricted|not (authorized|authorised|allowed|permitted)|prohibited|denied|forbidden|blocked|limited)':
          '554 5.7.1 <someone@example.com>: delivery to this address is restricted',
        'delivery (is)? (not)? (authorized|authorised|restricted|refused|denied)':
          '550 5.7.1 Delivery not authorized',
        '(not|does not have|lack*|insufficient|no) (authorized|authorised|permission|permissions|permitted|allowed|entitled|access|rights|privileges?) ~ (send|deliver|post|mail|email|contact|recipient|mailbox|group|this|to)':
          '550 5.7.1 No permission to write to this list',
        '(*restrictedgroup*|*.notauthenticated|*transport.rules*|transport.rules.*|*rejectmessage*|routing.recipientrestrictions|*recipientrestrict*|resolver.rst.*|*.rst.*)':
          '550 5.7.133 RESOLVER.RST.SenderNotAuthenticatedForGroup; only members may post',
        '(only|exclusively) ~ (members?|subscribers|authorized|internal|approved|whitelisted|known) ~ (can|may|post|send|allowed|senders?|users?|domains?)':
          '550 5.7.133 RESOLVER.RST.SenderNotAuthenticatedForGroup; only members may post',
        '(recipient|user|mailbox|account|addr|group) ~ (only (accepts?|accepting)|accepts? only|does not (want|wish|accept|allow|permit) ~ (from you|from this|from your|external|outside|mail from|messages from|email from)|not (accept*|allow*|receiv*) (any)? (mail|email|messages|external|mails) (from|outside) (you|this|your|outside|external|unknown|internet|addr|the|sender*))':
          '550 This mailbox only accepts mail from colleagues',
        '(external|outside|foreign|internet|unknown) (senders?|mail|email|sources?|users?) ~ (not (allowed|accepted|permitted)|prohibited|blocked|denied|rejected)':
          '550 External mail is not permitted',
        '(challenge|challenge response|captcha|confirm your)':
          '550 Please answer the challenge and confirm your identity',
        '(please|contact) ~ (your|the) (postmaster|isp|administrator|provider|it department) ~ (block*|list*|unblock*)':
          '550 Please ask the administrator to lift this block',
        '(user|recipient|addr) (has|is)? (blocked|block|rejected|refused|refuses|rejecting|refusing|blocking) (you|your|mail|messages|this sender|the message|message|email|all|incoming)':
          '550 The recipient has blocked you',
        '(message|mail) filtered': '550 5.7.1 Message filtered',
        '(mailbox|account|user|recipient|address|addr|domain) (is)? (protected|guarded|shielded|screened) (by|with|against|from)':
          '550 account is protected by a filter',
        '(suspicious|abusive|malformed) (activity|behaviou?r|connection|message|mail)':
          '550 Suspicious activity was seen',
        '(terms of service|terms of use|acceptable use|aup|tos)': '554 This breaks our terms of service',
        '(sieve|procmail|filter) (filter|script|rule|reject*|error)': '550 5.7.1 Returned by a sieve script',
        '(private|closed|moderated) (list|group|mailbox|mailing list)': '550 This is a private list',
        '(for|to|by|from) (list|registered|internal|our|group)? (members|subscribers|employees|staff|customers) only':
          '550 Posting is for members only',
        'only (our|registered|local|internal|known) ~ (may|can|are allowed to|is allowed to) (submit|send|relay|post|use)':
          '550 only known hosts may submit',
        '(must|should|has to|have to|can only) be (sent|submitted|delivered) (through|via|from|using|by)':
          '550 Mail must be submitted through our portal',
        '(does not accept mail|does not receive mail|never accepts mail) $':
          '521 5.3.2 mail.example.net does not accept mail',
        '(members only|non members?)': '550 A non-member wrote to a list of members',
        '(organizational|organisational|organization|organisation) (settings|rules)':
          '550 Bounced because of organizational settings',
        'violat* ~ rfc*': '550 Your DNS violates section 3.3 of RFC 1035',
        'rfc* ~ violation': '550 RFC 1035 violation',
        'not subscribed to': '550 This account is not subscribed to that service',
        '(mail|email|messages) ~ from (the)? (internet|outside)':
          '550 No mail is taken from the Internet for this address',
        'mesaj reddedildi': '554 Mesaj reddedildi',
        '(opted|opt) out': '550 someone@example.com has opted out',
        '(suppressed|suppression) (list|sending|for|by)?':
          '550 5.1.1 someone@example.com is on the suppression list',
        '(synchronization error|protocol violation)': '554 SMTP synchronization error',
        '(posting|sending|delivery) (is)? restricted': '550 Posting is restricted',
      },
      unless: {
        'policy (service|server|daemon) ~ (unavailable|error|fail*|timeout)':
          '451 The policy service is unavailable',
        '(unknown|no such|nonexistent|invalid) {who}': '550 Unknown user, see our policy',
        '{who} (addr)? (is|was)? (unknown|not found|does not exist|invalid)':
          '550 Policy check: user not found',
        '(recipient|address|domain) ~ null mx': '550 5.1.10 Our policy: this domain has a null MX',
        '(mailbox|account|user|recipient) (addr)? (is|was|has been)? (blocked|locked|closed) by (the|an|its|our)? (admin*|system|provider|owner|postmaster)':
          '550 This account has been blocked by the administrator',
        '(mailbox|account|user|recipient|it) ~ (disabled|deactivated|suspended|inactive|frozen|locked)':
          '550 Account disabled, see our policy',
        '(mailbox|account|user|recipient|addr) ~ to receive (any|new|incoming)? (mails?|emails?|messages?) $':
          '550 The user is not permitted to receive mail',
      },
    },
  },
];

/** Words of refusal without a reason, asked last: something was rejected, and the reply does not say why. */
export const plainRefusalRules: readonly Rule[] = [
  {
    // Not understood, but it speaks to us or of our address: not of the mailbox.
    reason: 'speaks_of_us',
    label: 'blocked_or_policy',
    when: {
      codes: [521, 550, 551, 553, 554],
      text: { '(ip|ipaddr|you|your|sender)': '550 5.0.0 not from you' },
    },
    samples: ['550 192.0.2.7 no', '554 Access denied, and you know why'],
  },
  {
    reason: 'refused_without_reason',
    label: 'blocked_or_policy',
    when: {
      classes: [5],
      text: {
        '(access|permission|request|service|delivery|transaction|mail) (is|was|has been)? (denied|refused|rejected|blocked|forbidden|prohibited|restricted)':
          '554 5.5.4 Access denied',
        '(reject|rejected|refused|denied|block|blocked|prohibited|forbidden|disallowed|unauthorized|unauthorised|banned|declined|unacceptable|rejecting|blocking|blocks|rejects|refuses)':
          '550 Rejected',
        '(not|never) (allowed|permitted|authorized|authorised|accepted|welcome|acceptable|wanted|accepting|accept)':
          '550 5.7.1 that is not wanted',
        '(no (access|permit|permission)|will not accept|does not want)':
          '550 5.0.0 <someone@example.com>... No permit',
        '(abgelehnt|verweigert|zuruckgewiesen|zurueckgewiesen|refuse|refusee|rejete|rejetee|interdit|rechazad*|denegad*|rejeitad*|recusad*|negado|rifiutat*|respint*|geweigerd|отклонен*|отклонён*|запрещ*|отказано|odrzucon*|odmitnut*|keelatud|tagasi lukatud)':
          '550 Отказано в доступе',
        '(*拒绝*|*拒絕*|*拒否*|*被拒*|*屏蔽*|*거부*|*차단*)': '550 拒绝',
      },
    },
    samples: ['554 Nachricht abgelehnt'],
  },
];
