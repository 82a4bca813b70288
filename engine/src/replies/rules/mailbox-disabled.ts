/** The mailbox is known to the server and switched off: disabled, suspended, inactive, closed (RFC 3463 x.2.1). */
import type { Rule } from './rule.ts';

/** Where a server leaves it open ("disabled or does not exist"), the mailbox is as good as gone: see the next theme. */
const orUnknown = [
  '(does not|not|no longer|never) exists?',
  '(no such|unknown|nonexistent) {who}',
  '{who} (addr)? (is|was)? (unknown|not found)',
  'marked as invalid',
  '{who} is invalid',
  '{who} ~ (deleted|removed|purged)',
];

export const mailboxDisabledRules: readonly Rule[] = [
  {
    reason: 'mailbox_disabled',
    label: 'mailbox_disabled',
    when: {
      text: [
        '{who} ~ (disabled|deactivated|de activated|inactivated|inactive|unactive|suspended|suspend|frozen|discontinued|dormant|cancell?ed|archived|unsubscribed|disable|decommissioned|passivated|hibernat*|parked|deactive)',
        '(mailbox|account|user|recipient|addr|login|inbox) ~ (is|has been|was|are|been|currently|temporarily|has) (currently|temporarily|permanently|administratively|now)? (blocked|locked|closed|barred|stopped|restricted|on hold|put on hold|placed on hold|held|switched off|turned off|shut down|shutdown|not active|not activated|not enabled|offline)',
        '(mailbox|account|user|recipient) (addr)? (blocked|locked|closed|on hold|not active|not activated|not enabled|isn not active)',
        '(disabled|deactivated|inactive|suspended|frozen|blocked|locked|closed|expired|dormant|cancell?ed|inactivated|deactivate) (user|mailbox|account|recipient|email|address|inbox|mail account|for inactivity|due to inactivity)',
        '(due to|for|because of|reason|extended|prolonged|long|account|mailbox|user) ~ inactivity',
        '(mailbox|account|user|recipient) ~ not (allowed|permitted|authorized|able) to receive (any|new|incoming)? (mails?|emails?|messages?) $',
        '(mailbox|account|user|address|recipient|addr) (is|has|was|addr)? expired',
        '{who} ~ (no longer|not yet) (active|activated|enabled)',
        '(mailbox|account|user|recipient|inbox|addr) ~ (not|no longer|cannot|does not|unable to|will not|never) (currently|presently|be)? (accept*|receive|receiving|take|taking) (any|new|more|incoming|your|further)? (mails?|emails?|messages?|deliver*)',
        '(not|no longer|stopped|cannot|does not) (currently|presently)? (accepting|receiving|accept|receive) (any|new|more|incoming)? (mails?|emails?|messages?) (for|to|at) ~ {who}',
        '(incoming|inbound|mail|delivery|reception|receiving) (mail|email|messages|delivery|service|to|for)? ~ (suspended|disabled|switched off|turned off|deactivated)',
        '(mail|email|smtp|delivery) (service|access|delivery|account) (for|of|to)? ~ (disabled|suspended|deactivated|not enabled|is not activated)',
        'mailbox (is|was)? not accepting',
        '(has|have) been (made|set)? (to)? (inactive|disabled|deactivated|suspended|frozen|locked out)',
        '(*disableduser*|*inactiveuser*|*accountdisabled*|*mailboxdisabled*|*useraccountdisabled*)',
        '(unpaid|non payment|payment) ~ (account|user|mailbox|service)',
        '(mailbox|account) (cannot be|could not be|can not be|not) (accessed|accessible|opened)',
        '(not|is not) (an)? active (user|account|mailbox|email|recipient|address)',
        '{who} ~ (in)? vacation mode',
        '(account|user|mailbox|recipient) under (suspension|maintenance)',
        'is (now|currently|temporarily)? (disabled|suspended|deactivated|inactive)',
        '{who} ~ (temporary|temporarily|currently) (locked|blocked|closed|stopped|restricted)',
      ],
      unless: [
        ...orUnknown,
        '(your|sender|sending) (account|mailbox|address)',
        '(command|relay*|vrfy|auth) ~ disabled',
        '(connection|session) ~ inactivity',
      ],
    },
    samples: [
      '550 5.2.1 The account someone wrote to is disabled. https://support.example/?p=DisabledUser',
      '554 30 The message for someone@example.com was not delivered: mailbox is disabled (554.30)',
      '550 5.2.1 This mailbox has been blocked due to inactivity',
      '540 5.7.1 <someone@example.com>: recipient address inactive',
      '550 The mailbox is frozen until its owner logs in',
      '550 5.1.1 someone@example.com account has been suspended',
      '550 5.2.1 <someone@example.com>: Incoming suspended',
      '550 Account closed',
      '554 The mailbox cannot be accessed',
      '550 5.2.0 mailbox is not currently accepting messages',
    ],
  },
  {
    reason: 'mailbox_disabled',
    label: 'mailbox_disabled',
    when: {
      text: [
        '(boite|compte|destinataire|adresse|utilisateur|bal) ~ (desactive*|suspendu*|bloque*|inacti*|archive*|ferme|fermee|resilie*|cloture*)',
        '(postfach|konto|empfanger|mailbox|benutzer|adresse|emailadresse|account) ~ (gesperrt|deaktiviert|inaktiv|stillgelegt|geschlossen|gekundigt|gekuendigt|abgeschaltet)',
        '(buzon|cuenta|usuario|destinatario|casilla|correo) ~ (desactivad*|suspendid*|deshabilitad*|inactiv*|bloquead*|cerrad*|inhabilitad*|cancelad*)',
        '(caixa|conta|usuario|destinatario|email) ~ (desativad*|suspens*|inativ*|bloquead*|desabilitad*|cancelad*|encerrad*)',
        '(casella|utente|destinatario|account|indirizzo) ~ (disattivat*|disabilitat*|sospes*|bloccat*|inattiv*|chius*|scadut*)',
        '(mailbox|account|gebruiker|ontvanger|adres|postvak) ~ (geblokkeerd|uitgeschakeld|inactief|opgeschort|gedeactiveerd|opgezegd)',
        '(ящик*|аккаунт*|пользователь|получатель|учетн*|адрес) ~ (заблокирован*|отключен*|отключён*|деактивирован*|неактивен|неактивн*|приостановлен*|закрыт*)',
        '(konto|skrzynk*|uzytkownik|schranka|postkast|kasutaja|konto) ~ (zablokowan*|nieaktywn*|zawieszon*|deaktivovan*|blokovan*|suletud|blokeeritud|deaktiveeritud|peatatud)',
        '(*停用*|*停止され*|*停止して*|*停止中*|*休眠*|*冻结*|*凍結*|*禁用*|*已锁定*|*休止*|*無効*|*利用停止*|*정지*|*휴면*)',
      ],
      unless: orUnknown,
    },
    samples: [
      '550 5.1.1 Boite du destinataire archivee',
      '550 Das Postfach ist gesperrt',
      '550 La cuenta ha sido desactivada',
      '550 A conta do destinatario foi bloqueada',
      '550 Casella disattivata',
      '550 Почтовый ящик заблокирован',
      '550 该用户已停用',
    ],
  },
];
