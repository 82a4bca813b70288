import assert from 'node:assert/strict';
import { test } from 'node:test';
import { providerNamed, providerOf, providerTable } from './providers.ts';

test('a mail host belongs to the provider with the longest matching suffix', () => {
  assert.equal(providerOf('gmail-smtp-in.l.google.com')?.id, 'google');
  assert.equal(providerOf('alt1.aspmx.l.googlemail.com.')?.id, 'google');
  assert.equal(providerOf('hotmail-com.olc.protection.outlook.com')?.id, 'outlook');
  assert.equal(providerOf('EXAMPLE-COM.mail.protection.outlook.com')?.id, 'microsoft');
  assert.equal(providerOf('example-com.a-v1.mx.microsoft')?.id, 'microsoft');
  assert.equal(providerOf('mx.yandex.net')?.id, 'yandex');
});

test('a name that only contains a suffix belongs to nobody', () => {
  assert.equal(providerOf('google.com.mx.example'), undefined);
  assert.equal(providerOf('notgoogle.com'), undefined);
  assert.equal(providerOf(''), undefined);
});

test('common names and mail hosts name the same provider; unknown ones none', () => {
  assert.equal(providerNamed('Google'), 'google');
  assert.equal(providerNamed('gmx/web.de/1&1'), 'gmx');
  assert.equal(providerNamed('symantec-messagelabs'), 'messagelabs');
  assert.equal(providerNamed('tencent-qq'), 'qq');
  assert.equal(providerNamed('free.fr'), 'free');
  assert.equal(providerNamed('mx1.comcast.net'), 'comcast');
  assert.equal(providerNamed('mx1.unheard-of.example'), undefined);
});

test('ids, aliases and suffixes are each given once', () => {
  const names = providerTable.flatMap(({ id, aliases }) => [id, ...(aliases ?? [])]);
  const suffixes = providerTable.flatMap((provider) => provider.suffixes);
  assert.equal(new Set(names).size, names.length);
  assert.equal(new Set(suffixes).size, suffixes.length);
  assert.ok(suffixes.every((suffix) => suffix.startsWith('.')));
});

test('consumer Outlook takes one recipient at a time; Yahoo and mail.ru accept made-up addresses', () => {
  assert.equal(providerOf('x.olc.protection.outlook.com')?.recipientsPerTransaction, 1);
  assert.equal(providerOf('mta5.am0.yahoodns.net')?.refusesRandomProbes, 'never');
  assert.equal(providerOf('mxs.mail.ru')?.refusesRandomProbes, 'never');
});
