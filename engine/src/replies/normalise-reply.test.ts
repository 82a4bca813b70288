import assert from 'node:assert/strict';
import { test } from 'node:test';
import { normaliseText, unwrapReply, separateWords } from './normalise-reply.ts';
import { allRules } from './rules/all-rules.ts';
import { phrasePieces } from './rules/rule.ts';

test('addresses and IP addresses lose their words', () => {
  assert.equal(normaliseText('<user.unknown@example.com>... No'), ' addr no ');
  assert.equal(normaliseText('user@example.com...User unknown'), ' addr user unknown ');
  assert.equal(normaliseText('from [192.0.2.7] and 2001:db8:0:0::1'), ' from ipaddr and ipaddr ');
});

test('spellings of one word come out alike', () => {
  assert.equal(normaliseText("User doesn't exist, E-Mail can't go"), ' user does not exist email cannot go ');
  assert.equal(normaliseText('The user’s mail-box'), ' the user mailbox ');
  assert.equal(normaliseText('Boîte aux lettres saturée'), ' boite aux lettres saturee ');
});

test('letters that Unicode does not decompose are spelled out', () => {
  assert.equal(
    normaliseText('Skrzynka pełna, Kullanıcı, İLERİ, Größe'),
    ' skrzynka pelna kullanici ileri grosse ',
  );
  assert.equal(normaliseText('отключён'), ' отключен ');
});

test('the short word before an apostrophe goes, in French and Italian', () => {
  assert.equal(normaliseText("L'adresse n’existe pas"), ' adresse existe pas ');
  assert.equal(normaliseText("L'indirizzo dell'utente"), ' indirizzo utente ');
});

test('letters outside Latin keep their marks', () => {
  assert.equal(normaliseText('Почтовый ящик'), ' почтовый ящик ');
});

test('the codes at the beginning of joined lines go', () => {
  assert.equal(normaliseText('550-5.1.1 does not 550-5.1.1 exist 550 5.1.1 here'), ' does not exist here ');
});

test('sentences stay apart, host names and links stay whole', () => {
  assert.equal(
    normaliseText('Blocked. See https://mx-1.example.com/a_b?ip=1 (mx-1.example.com).'),
    ' blocked . see https://mx-1.example.com/a_b?ip=1 mx-1.example.com . ',
  );
});

test('a character that decomposes into many does not make the text longer than its bound', () => {
  assert.ok(normaliseText('\uFDFA'.repeat(2_048)).length < 2_048 * 2);
});

function unwrapped(text: string): string {
  const { innermost } = unwrapReply({ code: 550, enhanced: undefined, text });
  const { code, enhanced, text: inner } = innermost;
  return [code, enhanced ?? '-', inner].join(' ');
}

test('a reply that quotes nothing stays as it is', () => {
  assert.equal(unwrapped('5.1.1 User unknown'), '550 - 5.1.1 User unknown');
  assert.equal(unwrapped('call 555 1234, he said'), '550 - call 555 1234, he said');
});

test('Postfix, qmail, Exim, DSN and Exchange announce a quoted reply each in their way', () => {
  assert.equal(unwrapped('host mx.example[192.0.2.1] said: 552 5.2.2 full'), '552 5.2.2 full');
  assert.equal(unwrapped('Remote host said: 550-5.1.1 no such user'), '550 5.1.1 no such user');
  assert.equal(
    unwrapped(
      'SMTP error from remote mail server after RCPT TO:<a@example.com>: host mx.example [192.0.2.1]: 450 busy',
    ),
    '450 - busy',
  );
  assert.equal(unwrapped('smtp; 554 5.7.1 blocked'), '554 5.7.1 blocked');
  assert.equal(unwrapped('Remote server returned an error -> 550 5.1.1 unknown'), '550 5.1.1 unknown');
});

test('the innermost of several is taken', () => {
  assert.equal(unwrapped('a said: 550 5.1.1 b said: 452 4.2.2 full'), '452 4.2.2 full');
});

test('known words of Chinese, Japanese and Korean stand apart, the longest first', () => {
  assert.equal(normaliseText('该用户不存在，请稍后重试。'), ' 该 用户 不存在 请 稍后 重试 . ');
  assert.equal(normaliseText('ユーザーが存在しません'), ' ユーザー が 存在しません ');
  assert.equal(normaliseText('사용자가 존재하지 않습니다'), ' 사용자 가 존재하지 않습니다 ');
});

test('half-width and full-width letters read alike', () => {
  assert.equal(normaliseText('ﾕｰｻﾞｰ　ＩＤ'), normaliseText('ユーザー id'));
});

test('every such word of every phrase is known, so that no phrase waits in vain', () => {
  const phrases = allRules.flatMap(({ when }) => Object.keys({ ...when.text, ...when.unless }));
  const words = new Set(
    phrases.flatMap(phrasePieces).filter((piece) => /^[\u3040-\u9FFF\uAC00-\uD7AF]/u.test(piece)),
  );
  assert.ok(words.size > 150);
  for (const word of words) assert.equal(separateWords(`x${word}x`), `x ${word} x`, word);
});

test('other texts come back as they are', () => {
  const text = ' user unknown, Пользователь не найден ';
  assert.equal(separateWords(text), text);
});
