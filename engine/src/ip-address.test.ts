import assert from 'node:assert/strict';
import { test } from 'node:test';
import { networkOf, parseCidr, createLeadsNowhere } from './ip-address.ts';

test('addresses of one /24 or one /48 are one network', () => {
  assert.equal(networkOf('192.0.2.77'), '192.0.2.0/24');
  assert.equal(networkOf('2001:db8:1:2::3'), '2001:db8:1::/48');
  assert.equal(networkOf('2001:db8::3'), '2001:db8:0::/48');
  assert.equal(networkOf('2001:0DB8:0001:ffff:1:2:3:4'), '2001:db8:1::/48');
  assert.equal(networkOf('::1'), '0:0:0::/48');
});

test('a network may be told wider or narrower', () => {
  assert.equal(networkOf('192.0.2.77', { ipv4: 16, ipv6: 32 }), '192.0.0.0/16');
  assert.equal(networkOf('2001:db8:1:2::3', { ipv4: 16, ipv6: 32 }), '2001:db8::/32');
  assert.equal(networkOf('192.0.2.77', { ipv4: 32, ipv6: 64 }), '192.0.2.77/32');
  assert.equal(networkOf('2001:db8:1:2:3:4:5:6', { ipv4: 32, ipv6: 64 }), '2001:db8:1:2::/64');
});

test('a text that is no IP address is its own network', () => {
  assert.equal(networkOf('mx.example.com'), 'mx.example.com');
  assert.equal(networkOf(''), '');
});

const nowhere = [
  '127.0.0.1',
  '127.255.255.255',
  '0.0.0.0',
  '0.1.2.3',
  '::',
  '::1',
  '::ffff:127.0.0.1',
  '::ffff:0.0.0.0',
];

test('loopback and the unspecified address lead nowhere, in whichever form', () => {
  const leadsNowhere = createLeadsNowhere([]);
  for (const address of nowhere) assert.equal(leadsNowhere(address), true, address);
});

test('private addresses may lead somewhere: a company’s own resolver gives them', () => {
  const leadsNowhere = createLeadsNowhere([]);
  const others = ['10.0.0.1', '172.16.0.1', '192.168.1.1', '100.64.0.1', '169.254.1.1', 'fd00::1', 'fe80::1'];
  for (const address of [
    ...others,
    '192.0.2.1',
    '126.255.255.255',
    '128.0.0.1',
    '1.0.0.0',
    '2001:db8::1',
    '::2',
  ])
    assert.equal(leadsNowhere(address), false, address);
});

test('a block that the operator opened leads somewhere, mapped into IPv6 or not', () => {
  const allow = ['127.0.0.0/8', '::1/128'].flatMap((block) => parseCidr(block) ?? []);
  const leadsNowhere = createLeadsNowhere(allow);
  for (const address of ['127.0.0.1', '::1', '::ffff:127.0.0.1'])
    assert.equal(leadsNowhere(address), false, address);
  assert.equal(leadsNowhere('0.0.0.0'), true);
});

test('a text that is no IP address is not judged', () => {
  assert.equal(createLeadsNowhere([])('mx.example.com'), false);
});
