import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { readReplyLine } from '../../../test/support/read-reply-line.ts';
import { condemnsMailbox } from '../rules/rule.ts';
import { classifyReply } from './classify-reply.ts';

/** Sentences about senders, servers and addresses of ours, in words that elsewhere condemn a mailbox. */
const aboutUs: Readonly<Record<string, readonly string[]>> = {
  German: [
    'Der Absender existiert nicht',
    'Absenderadresse ungültig',
    'Ihre IP-Adresse ist unbekannt',
    'Die Adresse des Clients wurde nicht gefunden',
    'Ihr Server ist gesperrt',
    'Unbekannter Absender',
  ],
  Dutch: ['De afzender bestaat niet', 'Uw IP-adres is onbekend', 'Het adres van de afzender is ongeldig'],
  French: [
    "L'expéditeur n'existe pas",
    "L'adresse IP est inconnue",
    "Le domaine de l'expéditeur est introuvable",
    'Votre compte est suspendu',
    "Adresse de l'émetteur invalide",
  ],
  Spanish: [
    'El remitente no existe',
    'La dirección IP es desconocida',
    'La dirección del remitente es inválida',
    'Su servidor está bloqueado',
  ],
  Portuguese: ['O remetente não existe', 'Endereço IP desconhecido', 'Endereço do remetente inválido'],
  Italian: [
    'Il mittente non esiste',
    "L'indirizzo IP è sconosciuto",
    "L'indirizzo del mittente non è valido",
  ],
  Polish: ['Nadawca nie istnieje', 'Adres IP jest nieznany', 'Adres nadawcy jest nieprawidłowy'],
  Russian: [
    'Отправитель не существует',
    'IP-адрес не найден',
    'Адрес отправителя не найден',
    'Ваш адрес заблокирован',
  ],
  Turkish: ['Gönderen bulunamadı', 'IP adresi geçersiz', 'Gönderen adresi mevcut değil'],
  Chinese: ['发件人不存在', '您的IP地址不存在反向解析', '发件人地址无效', '您的地址已被禁用'],
  Japanese: ['送信者が存在しません', 'IPアドレスが不明です', '差出人のメールアドレスが無効です'],
  Korean: ['발신자가 존재하지 않습니다', 'IP 주소를 찾을 수 없습니다', '보낸 사람 주소가 유효하지 않습니다'],
};

describe('words about us in other languages never read as a dead mailbox', () => {
  for (const [language, sentences] of Object.entries(aboutUs)) {
    test(language, () => {
      for (const sentence of sentences)
        for (const head of ['550', '550 5.1.1', '553 5.2.1', '554 5.7.1']) {
          const { label, reason } = classifyReply(readReplyLine(`${head} ${sentence}`));
          assert.ok(!condemnsMailbox(label), `${head} ${sentence}: ${label} ${reason}`);
        }
    });
  }
});

test('a deferral in any language that says "later" is no soft bounce', () => {
  for (const line of [
    '450 Empfänger unbekannt, bitte später erneut versuchen',
    '450 Utilisateur inconnu, veuillez réessayer plus tard',
    '451 Пользователь не найден, попробуйте позже',
    '451 用户不存在，请稍后再试',
  ])
    assert.equal(classifyReply(readReplyLine(line)).reason, 'try_again_later', line);
});

test('a full mailbox stays full, however patient the words beside it', () => {
  for (const line of ['452 Postfach voll, bitte später erneut versuchen', '452 邮箱已满，请稍后再试'])
    assert.equal(classifyReply(readReplyLine(line)).label, 'mailbox_full', line);
});
