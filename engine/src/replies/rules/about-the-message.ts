/**
 * Refusals of the message: spam, viruses, forbidden content, form and size. We never send a message, but filters
 * answer so at RCPT on suspicion, and the mailbox may well be there.
 */
import type { Rule } from './rule.ts';

export const messageRules: readonly Rule[] = [
  {
    reason: 'spam_suspected',
    label: 'blocked_or_policy',
    when: {
      text: {
        '(spam|spammy|spams|spammer|spammers|spamming|junk|junkmail|unsolicited|ube|uce|phish*|scam|antispam|anti-spam|spamassassin|rspamd|bulk mail|mass mail*|*spamcheck*|mailshield|spamtrap*|dspam|bogofilter|spamfilter*|*antispam*|bayes*)':
          '554 5.7.1 This message was classified as SPAM and may not be delivered',
        '(bulk|mass) (email|mail|mailing|mailings|mailer)': '550 Mass mailing is not welcome',
        '(looks|appears|seems) (like|to be) ~ (spam|unsolicited|bulk|abuse)': '550 This looks like abuse',
        '(courrier|message) indesirable': '550 Message rejetee: courrier indesirable',
        '(unerwunscht*|correo no deseado|lixo eletronico|indesiderat*|ongewenst*)':
          '554 Unerwünschte Werbung',
        '(спам|спама|*垃圾邮件*|*垃圾郵件*|*迷惑メール*|*스팸*)': '550 Письмо похоже на спам',
      },
      // Yandex ends "No such user!" with an offer to report spam.
      unless: {
        '(no such|unknown) (user|mailbox|recipient|account)': '550 5.7.1 No such user! Report spam to us',
        '(user|mailbox|recipient|account) (addr)? (is)? (unknown|not found|does not exist)':
          '550 5.1.1 User unknown. Report spam to us',
      },
    },
    samples: [
      '550 5.7.1 Our system has found that this message is likely unsolicited mail',
      '571 Message refused by antispam filter',
    ],
  },
  {
    reason: 'malware_suspected',
    label: 'blocked_or_policy',
    when: {
      text: {
        '(fraud|fraudulent|virus|viruses|malware|trojan|worm|infected|infection|clamav|ransomware|malicious|dangerous|harmful|exploit)':
          '554 5.7.1 Virus Eicar found, message refused',
        '(prohibited|forbidden|banned|blocked|illegal|disallowed|dangerous|executable|unsafe|suspicious|bad|not allowed) ~ (attachments?|file|files|filename|extension|extensions|archive)':
          '552 5.7.0 This message was blocked because its content presents a potential danger: forbidden attachment',
        '(attachments?|file type|file extension|filename) ~ (not (allowed|permitted|accepted)|rejected|prohibited|blocked|denied|forbidden|too (large|big|long)|security|banned)':
          '550 Attachment type not allowed',
      },
      // The scanner itself is out of order.
      unless: {
        '(error|failure|problem|unable|failed) ~ (scanner|scan*|clamav|clamd)':
          '451 Error in the virus scanner',
        '(scanner|scanning|scan|engine|clamav|clamd) ~ (error|fail*|unavailable|timeout|timed out|not)':
          '451 The scanner for viruses is not there',
      },
    },
  },
  {
    // RFC 3463 x.3.4 and x.2.3, RFC 1870 section 6.
    reason: 'message_too_large',
    label: 'blocked_or_policy',
    when: {
      classes: [5],
      text: {
        '(message|mail|email|msg|messages|emails|header|headers|body|data|attachment|attachments|mail size|content) (you sent|you tried to send|size|length|header|headers|of|is|was|which is)? ~ (too (large|big|long)|exceed* ~ (size|limit|maximum|length|fixed)|larger than|exceeds|oversize*|over the (maximum|size)|bigger than|above the)':
          '552 5.3.4 Message size exceeds fixed limit',
        '(size|length) ~ (exceeds|exceeded|exceed|larger|over|too|limit|limits|maximum|restricted)':
          '552 5.3.4 Message size exceeds fixed limit',
        '(exceeds|exceeded|exceed|over|maximum|max) ~ (message|mail|email|fixed|allowed|permitted|maximum|administrative) (file)? (size|length|sizes|limit|mailsize)':
          '523 the message exceeds the maximum size allowed',
        'line limit exceeded': '554 Line limit exceeded',
        'taille ~ (message|courrier)': '552 Taille limite du message atteinte',
        '(maximum|max) (message|mail)? size': '523 the message exceeds the maximum size allowed',
        '(*sizelimit*|*mailsize*|oversized?|message file too big|too big|too large)':
          '552 5.2.3 Your message is too large',
        '(message trop (gros|volumineux|lourd)|nachricht zu gross|mensaje demasiado grande|mensagem muito grande|messaggio troppo grande|bericht te groot)':
          '552 Message trop volumineux',
      },
      unless: { 'in (the|our)? queue': '550 This message has been in the queue too long' },
    },
  },
];

/** Asked after the rules about the mailbox: a server may begin `… user unknown` with `message refused`. */
export const contentRules: readonly Rule[] = [
  {
    reason: 'content_refused',
    label: 'blocked_or_policy',
    when: {
      text: {
        '(content|contents|subject|body|header|headers|url|urls|link|links|message id|message-id|mime|charset|character set|language|format|rfc 5322|rfc 2822|rfc 822|rfc5322|rfc2822|rfc822) ~ (rejected|refused|denied|blocked|not (allowed|accepted|permitted|compliant|valid)|prohibited|forbidden|filter*|violat*|restrict*|policy|policies|unacceptable|inappropriate|invalid|missing|malformed|suspicious|scan*|inspection|check*|fail*|illegal|banned|error|bad|required|non compliant)':
          '550 5.7.1 Message content rejected',
        '(improper|illegal|non encoded) ~ (8 bit|8bit|eight bit|non ascii) ~':
          '550 Improper use of 8-bit data in the header',
        '(bad|invalid|missing|illegal|malformed|duplicate|multiple|prohibited|forbidden|banned|unacceptable|suspicious|objectionable|rejected|reject|blocked|disallowed|no|not|non) ~ (content|contents|header|headers|subject|body|url|urls|mime|charset|message-id|message id|from header|words?|rfc 5322|rfc 2822|rfc5322|rfc2822|date header|line feeds?|lf|8bit|eight bit)':
          '550 5.6.0 Headers are not RFC 5322 compliant',
        '(message|mail|email|msg|messages) (content|body|contents|you sent|was|is|has been|were|not|data|header|format|could not be|cannot be)? (addr)? (rejected|refused|denied|blocked|not (accepted|allowed|permitted|wanted)|discarded|prohibited|filtered|quarantined|declined|violates?|contains|contained|scored|score|dropped|non compliant|does not (conform|comply|meet|pass)|considered|unacceptable|returned)':
          '554 Transaction failed: the message contains a URL that is listed',
        '(contains|contained|containing) ~ (url|urls|link|links|content|words?|characters|domain|domains|phrase|phrases|text|lf|bare)':
          '554 Transaction failed: the message contains a URL that is listed',
        '(rejected|refused|blocked|denied|stopped|discarded|caught|filtered) (by|due to|because of|because|for|on|after) (the|our|a|its|an)? (filter*|milter|content|scan*|system|rule|rules|engine|heuristic*|local|header|body|recipient filter*|server|firewall|gateway|filtering|message|security|advanced)':
          '554 5.7.1 The message was rejected by our content scanner',
        '(surbl|uribl|*surbl*|*uribl*|dbl|ivmuri)': '554 5.7.1 A link in it stands in multi.uribl.example',
        '(bare|stray) (lf|cr|newline|newlines|linefeed)': '554 bare LF',
        '(will not|cannot|unable to|refuse to|does not) (accept|take) (delivery of)? (this|the|your) (message|mail|email)':
          '554 We will not take this message',
      },
    },
  },
];
