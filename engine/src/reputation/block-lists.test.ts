import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Lookup } from '../dns/lookup.ts';
import { blockListName, delistingPage, lookUpListing, namedList, usualBlockLists } from './block-lists.ts';

const patience = { deadline: Infinity, signal: new AbortController().signal };

/** A zone as data: addresses by reversed name. */
function lookUp(address: string, zone: Record<string, string[] | 'failed'>) {
  return lookUpListing(address, 'bl.test', {
    patience,
    askIpv4: (name): Promise<Lookup<string>> => {
      const records = zone[name.replace('.bl.test', '')];
      if (records === undefined) return Promise.resolve({ kind: 'no_such_name' });
      if (records === 'failed') return Promise.resolve({ kind: 'failed', failure: 'silence' });
      return Promise.resolve({ kind: 'found', records });
    },
  });
}

const alive = { '2.0.0.127': ['127.0.0.2'] };
const our = '25.2.0.192';
const our6 = '5.2.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.8.b.d.0.1.0.0.2';
const alive6 = { '2.0.0.0.0.0.f.7.f.f.f.f.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0': ['127.0.0.2'] };

describe('an address in a block list', () => {
  for (const [what, address, zone, kind] of [
    ['is listed', '192.0.2.25', { ...alive, [our]: ['127.0.0.4', '127.0.0.10'] }, 'listed'],
    ['is not listed', '192.0.2.25', alive, 'not_listed'],
    ['is listed by IPv6', '2001:db8::25', { ...alive6, [our6]: ['127.0.0.3'] }, 'listed'],
    ['is not listed by IPv6', '2001:db8::25', alive6, 'not_listed'],
    ['is refused an answer', '192.0.2.25', { ...alive, [our]: ['127.255.255.254'] }, 'no_answer'],
    [
      'is refused one among others',
      '192.0.2.25',
      { ...alive, [our]: ['127.0.0.2', '127.255.255.252'] },
      'no_answer',
    ],
    ['is answered with 127.0.0.1', '192.0.2.25', { ...alive, [our]: ['127.0.0.1'] }, 'no_answer'],
    ['is answered by a captive resolver', '192.0.2.25', { ...alive, [our]: ['203.0.113.1'] }, 'no_answer'],
    ['gets no answer', '192.0.2.25', { ...alive, [our]: 'failed' }, 'no_answer'],
    ['is in a list that was given up', '192.0.2.25', { [our]: ['127.0.0.2'] }, 'no_answer'],
    [
      'is in a list that has everybody',
      '192.0.2.25',
      { ...alive, [our]: ['127.0.0.2'], '1.0.0.127': ['127.0.0.2'] },
      'no_answer',
    ],
    ['is none', 'example.com', alive, 'no_answer'],
  ] as const)
    test(`${what}: ${kind}`, async () => {
      assert.equal((await lookUp(address, zone as Record<string, string[] | 'failed'>)).kind, kind);
    });
});

describe('the name of a list in a reply', () => {
  for (const [text, list] of [
    ['Service unavailable; Client host [192.0.2.7] blocked using zen.spamhaus.org', 'zen.spamhaus.org'],
    [
      '[BL21] Connections will not be accepted from 192.0.2.7, because the ip is in a list',
      'zen.spamhaus.org',
    ],
    ['192.0.2.7 is in the XBL, see https://www.abuseat.org', 'zen.spamhaus.org'],
    ['Blocked - see https://www.spamcop.net/bl.shtml?192.0.2.7', 'bl.spamcop.net'],
    ['see http://www.barracudacentral.org/reputation?ip=192.0.2.7', 'b.barracudacentral.org'],
    ['blocked using bl.example.org', undefined],
    ['Your IP is on our block list', undefined],
  ] as const)
    test(text, () => assert.equal(namedList(text, usualBlockLists), list));

  test('is found for a list of the operator’s own by its zone', () => {
    assert.equal(namedList('listed at BL.example.org', ['bl.example.org']), 'bl.example.org');
  });
});

test('the key of a paid zone is never shown', () => {
  const zone = 'secretkey.zen.dq.spamhaus.net';
  assert.equal(blockListName(zone), 'zen.dq.spamhaus.net');
  assert.equal(delistingPage(zone), 'https://check.spamhaus.org/');
  assert.equal(namedList('blocked using zen.spamhaus.org', [zone]), zone);
});
