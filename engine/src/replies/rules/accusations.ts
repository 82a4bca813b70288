/**
 * Words that accuse us, or that limit the reply to mail from us. They outrank the words of the same reply about a
 * mailbox: by "Spammer! User unknown" a server gets rid of a client, and says nothing of the user.
 */
import type { Phrases } from './rule.ts';

/** Each with a reply that would read as a dead or full mailbox without it. */
export const accusations: Phrases = {
  '(spammer|spammers|spammeur|spammeurs|spambot|spambots|spamming)': '550 Spammer! User unknown',
  '(you|your) ~ (spam|spams|spammed|junk|ube|uce)': '550 No such user. You send spam',
  '(forgery|forgeries|forged|forging|faked|fake|spoofed|spoofing|impostor|hijack*)':
    '550 Possible forgery, recipient not found',
  '(harvest|harvester|harvesters|harvesting|harvested|namespace mining|list washing|listwashing)':
    '550 Address harvesting seen: user unknown',
  '(probe|probes|probing|probed|fishing|guessing|trawling) (for|of|our|these)? ~ (address*|emails?|users?|mailbox*|recipients?|accounts?|names?)':
    '550 No such user, stop probing for addresses',
  '(verification|validation|verifier|verifiers|callout|callback) (service|services|attempt|attempts|tool|tools|probe|probes) ~ (not|refused|rejected|blocked|unwelcome|forbidden|prohibited|denied|stop)':
    '550 User unknown; verification services are not welcome',
  '(abuse|abuser|abusers|abusing|abusive|attack|attacks|attacking|attacker|attackers|hacker|hackers|intruder|malicious)':
    '550 User unknown, stop abusing this server',
  '(blocked|banned|barred|blacklisted|blocklisted|block|ban) (you|your|by us)':
    '550 5.1.1 We have banned you: unknown user',
  '(you|your|client|sender|ip|ipaddr|host|server) ~ (is|are|was|were|has been|have been) (now|temporarily|permanently|currently)? (blocked|banned|barred|blacklisted|blocklisted|listed|suspected|rejected|refused|denied|unwelcome)':
    '550 5.1.1 User unknown. Your server has been blocked',
  '(for|to|on|of) (all|any|new|your|the)? (mails?|emails?|messages?|deliver*|traffic|connections?|submissions?) (sent|coming|arriving|received|originating)? (from|by|of) (this|your|that|such|the) (sender|senders|host|hosts|server|ip|ipaddr|address|domain|network|client|source|site|mta|mailer|location|country|provider|isp)':
    '550 5.7.1 Mailbox unavailable for messages from the sender',
  'from (this|that|your|the sending|the connecting|such an?|this particular) (sender|host|ip|ipaddr|client|network|source|mta|isp|provider|country|location|originator|server|domain)':
    '550 Recipient not available from this host',
  '(for|to) (this|that|your|such an?|the) (sender|senders|client|sending (host|server|domain|address)|source|ip|ipaddr)':
    '550 The mailbox does not exist for this sender',
  '(from|for|to|by) (you|your (ip|server|host|domain|network|address|mta|organization|company|side)) $':
    '550 5.1.1 This user is not available to you',
  '(for|from|to) (external|outside|foreign|unknown|untrusted|unauthenticated|anonymous|unauthorized) (senders?|hosts?|clients?|servers?|networks?|domains?|sources?|addresses|mail|email)':
    '550 Mailbox unavailable for external senders',
  '(for|from|to) (all|any|other)? (senders?|hosts?|clients?|people|anyone|anybody|mail|email|messages) (who are|that are|from|coming)? (outside|external|elsewhere|not (in|from|of|on|known))':
    '550 This address does not exist for senders outside the company',
};

/** Replies that speak of such things without meaning us. */
export const accusationExceptions: Phrases = {
  '(report|reports|reporting|complaints|write to|contact) (of|any|this|us|it|as|your|the|such|about)? ~ (spam|spammers?|abuse|phishing|forg*|addr)':
    '550 No such user. To report spammers, write to us',
  '(protect*|prevent*|avoid*|reduce|fight*|combat|against) ~ (spam|spammers?|spamming|harvest*|abuse|abusive|phishing|forg*|attack|attacks)':
    '550 No such user. Names are withheld to prevent harvesting',
  '(removed|deleted|purged|gone|moved|erased|withdrawn|absent|missing|relocated|migrated|disappeared|terminated|unavailable|retired) from (this|that|the|our) (host|server|domain|network|site|system)':
    '550 The mailbox was removed from this server',
  '{who} ~ (blocked|banned|disabled|suspended|closed|locked|deactivated|terminated|deleted|removed) (for|because of|due to|after|following|over) ~ (abuse|spam|spamming|phishing|fraud|malicious)':
    '550 The account has been suspended because of abuse',
};
