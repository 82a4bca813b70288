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
      text: [
        '(policy|policies|politique|richtlinie*|politica|politicas|beleid|политик*)',
        '(administrative|administratively) (prohibition|prohibited|rejection|refusal|lock out|denied|reject)',
        '(security|compliance|firewall|acl) (reason|reasons|violation|rule|rules|policy|restriction|restrictions|check|settings|risk|threat)',
        '(local|site|system|organization|company|user|recipient|domain) (policy|policies|preferences?|restrictions?|rule|rules|configuration settings)',
        'recipient preferences',
        '(prohibited|forbidden|disallowed|rejected|blocked|denied|refused|stopped) by (the|our|your|its|an?|user|this|recipient|local|customer|administrator)? ~ (administrator|admin|rule|rules|owner|recipient|user|customer|organization|domain|server|filter*|settings|policy|configuration|system|site|acl|firewall|preferences|postmaster|management)',
        '(restricted|restriction|restrictions|not allowed|permission|permissions|unauthorized|unauthorised) (to|for|on|by|from)? ~ (group|list|members?|distribution|send*|post*|deliver*|recipient|mailbox|address|inbound|this)',
        '(delivery|mail|access|sending|posting) (to|for) (this|that|the)? ~ (restricted|not (authorized|authorised|allowed|permitted)|prohibited|denied|forbidden|blocked|limited)',
        'delivery (is)? (not)? (authorized|authorised|restricted|refused|denied)',
        '(not|does not have|lack*|insufficient|no) (authorized|authorised|permission|permissions|permitted|allowed|entitled|access|rights|privileges?) ~ (send|deliver|post|mail|email|contact|recipient|mailbox|group|this|to)',
        '(*restrictedgroup*|*.notauthenticated|*transport.rules*|transport.rules.*|*rejectmessage*|routing.recipientrestrictions|*recipientrestrict*|resolver.rst.*|*.rst.*)',
        '(only|exclusively) ~ (members?|subscribers|authorized|internal|approved|whitelisted|known) ~ (can|may|post|send|allowed|senders?|users?|domains?)',
        '(recipient|user|mailbox|account|addr|group) ~ (only accepts?|accepts? only|does not (want|wish|accept|allow|permit) ~ (from you|from this|from your|external|outside|mail from|messages from|email from)|not (accept*|allow*|receiv*) (any)? (mail|email|messages|external|mails) (from|outside) (you|this|your|outside|external|unknown|internet|addr|the|sender*))',
        '(external|outside|foreign|internet|unknown) (senders?|mail|email|sources?|users?) ~ (not (allowed|accepted|permitted)|prohibited|blocked|denied|rejected)',
        '(challenge|challenge response|captcha|confirm your)',
        '(please|contact) ~ (your|the) (postmaster|isp|administrator|provider|it department) ~ (block*|list*|unblock*)',
        '(user|recipient|addr) (has|is)? (blocked|block|rejected|refused|refuses|rejecting|refusing|blocking) (you|your|mail|messages|this sender|the message|message|email|all|incoming)',
        '(message|mail) filtered',
        '(suspicious|abusive|malformed) (activity|behaviou?r|connection|message|mail)',
        '(terms of service|terms of use|acceptable use|aup|tos)',
        '(sieve|procmail|filter) (filter|script|rule|reject*|error)',
        '(private|closed|moderated) (list|group|mailbox|mailing list)',
        '(for|to|by|from) (list|registered|internal|our|group)? (members|subscribers|employees|staff|customers) only',
        'only (our|registered|local|internal|known) ~ (may|can|are allowed to|is allowed to) (submit|send|relay|post|use)',
        '(must|should|has to|have to|can only) be (sent|submitted|delivered) (through|via|from|using|by)',
        '(does not accept mail|does not receive mail|never accepts mail) $',
        'mesaj reddedildi',
        '(opted|opt) out',
        '(suppressed|suppression) (list|sending|for|by)?',
        '(posting|sending|delivery) (is)? restricted',
      ],
      unless: [
        '(unknown|no such|nonexistent|invalid) {who}',
        '{who} (addr)? (is|was)? (unknown|not found|does not exist|invalid)',
        '(recipient|address|domain) ~ null mx',
        '(mailbox|account|user|recipient) (addr)? (is|was|has been)? (blocked|locked|closed) by (the|an|its|our)? (admin*|system|provider|owner)',
        '(mailbox|account|user|recipient|it) ~ (disabled|deactivated|suspended|inactive)',
        '(mailbox|account|user|recipient) ~ to receive (any|new|incoming)? (mails?|emails?|messages?) $',
      ],
    },
    samples: [
      '550 5.7.1 Message refused by local policy',
      '550 5.1.1 RCP-P2 not delivered because of recipient preferences',
      '554 Administrative prohibition',
      '550 5.7.133 RESOLVER.RST.SenderNotAuthenticatedForGroup; only members may post',
      '550 5.7.1 Delivery not authorized',
      '554 5.7.1 <someone@example.com>: delivery to this address is restricted',
      '521 5.3.2 mail.example.net does not accept mail',
    ],
  },
];

/** Words of refusal without a reason, asked last: something was rejected, and it is not said why. */
export const plainRefusalRules: readonly Rule[] = [
  {
    reason: 'refused_without_reason',
    label: 'blocked_or_policy',
    when: {
      classes: [5],
      text: [
        '(access|permission|request|service|delivery|transaction|mail) (is|was|has been)? (denied|refused|rejected|blocked|forbidden|prohibited)',
        '(servizio|servicio|servico) (is|was|has been)? (rifiutato|denegado)',
        '(reject|rejected|refused|denied|block|blocked|prohibited|forbidden|disallowed|unauthorized|unauthorised|banned|declined|unacceptable|rejecting|blocking|blocks|rejects|refuses)',
        '(not|never) (allowed|permitted|authorized|authorised|accepted|welcome|acceptable|wanted|accepting|accept)',
        '(no access|cannot accept|will not accept|unable to accept|does not want)',
        '(abgelehnt|verweigert|zuruckgewiesen|zurueckgewiesen|refuse|refusee|rejete|rejetee|interdit|rechazad*|denegad*|rejeitad*|recusad*|negado|rifiutat*|respint*|geweigerd|отклонен*|отклонён*|запрещ*|отказано|odrzucon*|odmitnut*|keelatud|tagasi lukatud)',
        '(*拒绝*|*拒絕*|*拒否*|*被拒*|*屏蔽*|*거부*|*차단*)',
      ],
    },
    samples: ['550 Rejected', '554 5.5.4 Access denied', '550 Отказано в доступе', '554 Nachricht abgelehnt'],
  },
];
