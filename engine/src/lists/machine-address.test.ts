import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { isMachineAddress } from './machine-address.ts';

describe('a machine address', () => {
  for (const localPart of [
    'prvs=2843a1b2c3=jane.doe',
    'PRVS=0123abcdef=jane',
    '"prvs=2843a1b2c3=jane"',
    'btv1==1234567890a==jane',
    'msprvs1=17654abc=bounces-12345',
    'SRS0=HHH=TT=example.org=jane',
    'srs1=HHH=example.net==HHH=TT=example.org=jane',
    'SRS0+HHH=TT=example.org=jane',
    'bounce+a1b2c3.d4e5f6-jane=example.com',
    'bounces+1234-abcd-jane=example.com',
    'bounce+tag',
    'list-return-4711-jane=example.com',
    'news-bounces+jane=mail.example.co.uk',
    'bounces-0123456789',
    'bounce-5321_HTML-1234567',
    'return-1234567',
    'jane+caf_=other=example.com',
    '0100018f1a2b3c4d-01234567-89ab-cdef-0123-456789abcdef-000000',
  ])
    test(`is ${localPart}`, () => assert.equal(isMachineAddress(localPart), true));

  for (const localPart of [
    'jane.doe',
    'jane+news',
    'jane+example.com',
    'bounce',
    'bounce.house',
    'bounce-house',
    'bounces',
    'return-desk',
    'prvs',
    'a=b',
    'srs0',
    'x-y.z',
    'jane-a=b',
    '0100018f1a2b3c4d',
  ])
    test(`is not ${localPart}`, () => assert.equal(isMachineAddress(localPart), false));

  test('is looked for in time that grows with its length, not faster', () => {
    assert.equal(isMachineAddress(`${'-'.repeat(64)}${'='.repeat(64)}`), false);
  });
});
