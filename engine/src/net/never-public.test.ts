import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseCidr } from './parse-cidr.ts';
import { createLeadsNowhere } from './never-public.ts';

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

test('what the operator opened leads somewhere, mapped into IPv6 or not', () => {
  const allow = ['127.0.0.0/8', '::1/128'].flatMap((block) => parseCidr(block) ?? []);
  const leadsNowhere = createLeadsNowhere(allow);
  for (const address of ['127.0.0.1', '::1', '::ffff:127.0.0.1'])
    assert.equal(leadsNowhere(address), false, address);
  assert.equal(leadsNowhere('0.0.0.0'), true);
});

test('what is no IP address is not judged', () => {
  assert.equal(createLeadsNowhere([])('mx.example.com'), false);
});
