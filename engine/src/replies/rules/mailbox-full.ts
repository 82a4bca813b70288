/**
 * The mailbox exists and is full. These words outrank the codes around them: Comcast and Orange say it under 5.1.1,
 * others under 5.7.1 or no enhanced code at all. What is full must be the mailbox, though: a server out of disk space
 * (RFC 3463 x.3.1) or a sender out of his daily allowance says nothing of the recipient.
 */
import type { Rule } from './rule.ts';

const sendersAllowance = [
  '(sending|sender|outgoing|outbound|submission|relay|daily|hourly|smtp|rate|connection|your|queue|organization|tenant|submission) (message|email|mail|recipient|rate|sending|user|queue|limit)? quota',
  'quota ~ (per (hour|day|minute)|for (sending|sender)|of messages)',
  '(system|server|spool|queue|service|filesystem|partition) (storage|disk|space|is full|full)',
];

export const mailboxFullRules: readonly Rule[] = [
  {
    reason: 'over_quota',
    label: 'mailbox_full',
    when: {
      text: [
        '(over|overquota|overdrawn|out of|beyond|above|exceed*|reached|surpass*) ~ (quota|quotas)',
        '(quota|quotas) (is|has been|was|limit|size|is currently|has|have|been|for|of)? ~ (exceeded|full|reached|violation|exhausted|over|exceed*|hit)',
        '(overquota|over-quota|*quotaexceeded*|*overquota*|quota-exceeded|*shutoffquota*)',
        '(storage|disk|mailbox|mail|user|recipient) quota',
        '(extended)? quota violation',
        'would (exceed|be over|put ~ over) ~ (quota|mailbox|storage|limit for this user)',
        'not enough quota',
        '*quota (is|was|has been)? exceed*',
      ],
      unless: sendersAllowance,
    },
    samples: [
      '552 5.2.2 <someone@example.com>: user is over quota',
      '552 5.1.1 <someone@example.com> recipient has an extended quota violation',
      '550 5.7.1 Quota exceeded for this mailbox',
      '452 4.2.2 Delivery would put someone over quota',
      '554 5.2.0 delivery failed: MapiExceptionShutoffQuotaExceeded: 16.55847',
      '522 5.7.1 someone@example.com: disk quota has been used up',
    ],
  },
  {
    reason: 'mailbox_full',
    label: 'mailbox_full',
    when: {
      text: [
        '(mailbox|inbox|box|maildir|mailfolder|folder|account|mbox|mailbox size|mail store) (of|for)? ~ (full|overfull|overflow*)',
        '(mailbox|inbox|user|recipient|account|addr) ~ (is|was|are) ~ full',
        '(full|overfull) (mailbox|inbox|maildir)',
        '(mailbox|inbox|account|maildir) ~ (exceed*|over|reached|above|surpass*|passed|at) ~ (limit|limits|size|maximum|max|capacity|storage|allocation|space|allowed)',
        '(exceed*|over|reached|at|above) ~ (mailbox|storage) (size|limit|limits|allocation|capacity|space|maximum)',
        '(mailbox|account|storage) (size|storage)? (limit|capacity|allocation|allowance) (is|was|has been)? (exceeded|reached|full)',
        '(exceeded|exceeds|exhausted|used up) (its|his|her|their|the|all)? ~ (storage|disk space|space) (allocation|limit|capacity|space|allowed|allowance)?',
        '(exceeded|exhausted) (allowed|available) (storage|disk) space',
        '{who} ~ (out of|no|insufficient|lack of|not enough|lacks|lack|without) ~ (storage|space|room|disk space)',
        '(not enough|insufficient|no|out of) ~ (space|storage|room) ~ (mailbox|inbox|user|recipient|account)',
        '{who} ~ has too (many|much) (messages|mail|mails|emails|data) ~ (mailbox|inbox|on server|stored|on the server)?',
        '(too many|too much) (messages|mail|mails|mail data) ~ (mailbox|inbox|stored)',
        'mailbox ~ (too|very) (large|big|full)',
        '(message|mail|email) count ~ (mailbox|exceeded)',
        '(mailbox|user|account) (is)? over (the|its)? (limit|maximum|allowed)',
        'inactive out of storage',
        '(mailbox|inbox|account) is (currently)? (over|at) capacity',
        'mailbox *storage* full',
        '{who} ~ (does not|not) have (enough|sufficient|any) (space|storage|room|disk space)',
        '{who} ~ (reached|hit) ~ (storage|space|quota)',
        '(mailbox|inbox|account) (size|storage|space) (is|was|has been)? (exceeded|used up|full)',
        '(storage|space) limit (for|of) ~ (reached|exceeded)',
        '(allocated|available|allotted) (disk|storage)? (space|storage) (is|was|has been)? (exhausted|exceeded|used up|full)',
        '(blocks?|inodes?|disk|storage|mailbox) (size|usage|space)? (limit|limits) (is|was|has been)? exceed*',
        '(mail|recipient|mailbox|user|account) (storage|space) (is|was|has been)? (full|exceeded|not enough|insufficient|exhausted)',
        '{who} space (is|was|has|has been) (used up|full|exhausted)',
      ],
      unless: sendersAllowance,
    },
    samples: [
      '552 5.2.2 Mailbox full',
      '550 5.1.1 The mailbox of the recipient is full, try again later',
      '452 4.2.2 The inbox of this recipient is out of storage space',
      '552 Mailbox limit exceeded for this email address',
      '554 5.7.1 <someone@example.com> has exceeded storage limit',
      '552 Requested mail action aborted: exceeded storage allocation',
      '550 Not enough storage space for this user',
      '550 someone@example.com has too many messages on the server',
      '552 #5.1.0 Mailbox size limit exceeded',
    ],
  },
  {
    reason: 'mailbox_full',
    label: 'mailbox_full',
    when: {
      text: [
        '(boite|bal|messagerie|compte) ~ (pleine|plein|saturee|sature)',
        'limite ~ (boite|messagerie) ~ (atteinte|depassee)',
        '(zuviele|zu viele) (mails|nachrichten|emails) (auf|in|im)',
        '(quota|espace) ~ (depasse|atteint|sature|insuffisant)',
        '(depasse|depassement) ~ quota',
        '(postfach|mailbox|mailkonto|konto|postfaches) ~ (voll|uberfullt|ueberfuellt|uberschritten|ueberschritten)',
        '(speicherplatz|speicher|quota) ~ (erschopft|erschoepft|uberschritten|ueberschritten|voll|aufgebraucht)',
        '(buzon|casilla|cuenta|bandeja) ~ (lleno|llena|excedid*|sobrepas*)',
        '(cuota|capacidad) ~ (excedid*|superad*|sobrepas*|llena)',
        '(excedido|superado|excede) ~ (cuota|capacidad|espacio)',
        '(caixa|conta|mailbox|usuario) ~ (cheia|lotada|lotado|excedid*|excedeu)',
        '(cota|quota|espaco) ~ (excedid*|esgotad*|estourad*|ultrapassad*|insuficiente)',
        '(excedeu|ultrapassou) ~ (cota|quota|limite|espaco)',
        '(casella|mailbox) ~ (piena|satura|esaurit*)',
        '(quota|spazio) ~ (superat*|esaurit*)',
        '(postvak|brievenbus|mailbox) ~ (vol|overvol)',
        '(brevlada*|brevladan|postkasse*|postlada*|innboks*|postboks*) ~ (full|fuld|overfull)',
        '(postilaatikko|postkast) ~ (taynna|tais)',
        '(skrzynk*|schrank*|postafiok*|posta kutusu) ~ (peln*|przepeln*|pln*|megtelt|dolu|dolmus*)',
        '(ящик*|почтов*) ~ (переполнен*|заполнен*|полон)',
        '(превышен*|исчерпан*) ~ (квот*|размер*|лимит* ящик*|объ*)',
        '(*已满*|*已滿*|*空间不足*|*容量不足*|*配额*|*がいっぱい*|*容量を超え*|*容量超過*|*용량초과*|*가득*)',
      ],
      unless: sendersAllowance,
    },
    samples: [
      '552 5.1.1 Boite du destinataire pleine, OFR_417',
      '552 5.2.2 La boîte aux lettres de ce client est saturée',
      '552 Das Postfach des Empfängers ist voll',
      '552 5.2.2 El buzón del destinatario está lleno',
      '552 A caixa postal do destinatario esta cheia',
      '552 La casella del destinatario è piena',
      '552 De mailbox van de ontvanger is vol',
      '552 Почтовый ящик получателя переполнен',
      '552 收件人邮箱已满',
      '552 Kasutaja postkast on täis',
    ],
  },
  {
    // RFC 5321 section 4.2.3 keeps 552 for storage; with words of space it is the mailbox that is meant.
    reason: 'over_quota',
    label: 'mailbox_full',
    when: {
      codes: [552],
      text: ['(not enough|insufficient|no|out of) (disk|storage|free)? space', 'disk (is)? full'],
    },
    samples: ['552 Not enough space', '552 disk full'],
  },
  {
    // RFC 3463 x.2.2. Only rate texts use it for something else, and those are read before.
    reason: 'over_quota',
    label: 'mailbox_full',
    when: {
      enhanced: ['*.2.2'],
      unless: [...sendersAllowance, '{who} ~ (does not exist|unknown|not found)', 'no such {who}'],
    },
    samples: ['552 5.2.2 delivery not possible', '452 4.2.2 Try later'],
  },
];
