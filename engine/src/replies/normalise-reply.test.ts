import assert from 'node:assert/strict';
import { test } from 'node:test';
import { normaliseText } from './normalise-reply.ts';

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
