import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isBelievedUnasked, providerNamed, providerOf, providerTable } from './providers.ts';

test('a mail host belongs to the provider with the longest matching suffix', () => {
  assert.equal(providerOf('gmail-smtp-in.l.google.com')?.id, 'google');
  assert.equal(providerOf('alt1.aspmx.l.googlemail.com.')?.id, 'google');
  assert.equal(providerOf('hotmail-com.olc.protection.outlook.com')?.id, 'outlook');
  assert.equal(providerOf('EXAMPLE-COM.mail.protection.outlook.com')?.id, 'microsoft');
  assert.equal(providerOf('example-com.a-v1.mx.microsoft')?.id, 'microsoft');
  assert.equal(providerOf('mx.yandex.net')?.id, 'yandex');
});

test('a name that only contains a suffix belongs to no provider', () => {
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

test('consumer Outlook takes one recipient at a time; Yahoo and mail.ru accept every address', () => {
  assert.equal(providerOf('x.olc.protection.outlook.com')?.recipientsPerTransaction, 1);
  for (const host of [
    'mta5.am0.yahoodns.net',
    'mx-aol.mail.gm0.yahoodns.net',
    'mx1.mail.yahoo.co.jp',
    'mxs.mail.ru',
  ])
    assert.equal(providerOf(host)?.acceptsEverything, true, host);
});

test("only a provider's own domains are believed unasked, not those of its customers", () => {
  const own = {
    'gmail-smtp-in.l.google.com': ['gmail.com', 'googlemail.com'],
    'mx01.mail.icloud.com': ['icloud.com', 'me.com', 'mac.com'],
    'outlook-com.olc.protection.outlook.com': [
      'outlook.com',
      'hotmail.com',
      'hotmail.co.uk',
      'live.fr',
      'msn.com',
    ],
  };
  for (const [host, domains] of Object.entries(own)) {
    for (const domain of domains) assert.ok(isBelievedUnasked(domain, host), domain);
    assert.ok(!isBelievedUnasked('customer.example', host), host);
  }
  assert.ok(
    !isBelievedUnasked('gmail.com', 'mx.elsewhere.example'),
    'their name at another host proves nothing',
  );
  assert.ok(!isBelievedUnasked('example.com', 'example-com.mail.protection.outlook.com'));
});

test('the machines of a provider’s customers are not taken for its mail hosts', () => {
  const hosts = {
    'inbound-smtp.eu-west-1.amazonaws.com': 'amazon',
    'ec2-192-0-2-1.compute-1.amazonaws.com': undefined,
    'mx1.mail.ovh.net': 'ovh',
    'mx2.ovh.net': 'ovh',
    'vps-1234.vps.ovh.net': undefined,
    'in1-smtp.messagingengine.com': 'fastmail',
    'mail.protonmail.ch': 'proton',
    'mx1.titan.email': 'titan',
    'mx1.hostinger.com': 'hostinger',
    'mx1.privateemail.com': 'privateemail',
    'mx.example.com.cust.b.hostedemail.com': 'opensrs',
    'mx.aruba.it': 'aruba',
    'mta-gw.infomaniak.ch': 'infomaniak',
  };
  for (const [host, id] of Object.entries(hosts)) assert.equal(providerOf(host)?.id, id, host);
});
