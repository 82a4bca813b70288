import assert from 'node:assert/strict';
import { test, describe } from 'node:test';
import { readRoleNames, isMachineAddress } from './mailbox-names.ts';

const roles = readRoleNames(new URL('data/role-names.txt', import.meta.url));

test('every mailbox name of RFC 2142 is a role', () => {
  const names =
    'info marketing sales support abuse noc security postmaster hostmaster usenet news webmaster www uucp ftp';
  for (const name of names.split(' ')) assert.equal(roles.has(name), true, name);
});

test('a role is found in any case, with its quotes, and with a tag of its own', () => {
  for (const name of [
    'Support',
    'POSTMASTER',
    '"support"',
    '"Sup\\port"',
    'support+eu',
    'sales+2024+q1',
    'Продажи',
  ]) {
    assert.equal(roles.has(name), true, name);
  }
});

test('the words of a role may be joined in any way', () => {
  for (const name of [
    'no-reply',
    'no.reply',
    'no_reply',
    'noreply',
    'Customer.Service',
    'mailer-daemon',
    'accounts.payable',
  ]) {
    assert.equal(roles.has(name), true, name);
  }
});

test('a role cut elsewhere, longer than a role or with a tag only is no role', () => {
  for (const name of [
    'sal.es',
    'in-fo',
    'supporter',
    'info.ann',
    'ann.info',
    '+support',
    'infos2',
    '"support team"',
    'x+info',
  ]) {
    assert.equal(roles.has(name), false, name);
  }
});

test('given names are no roles', () => {
  const people =
    'aaron abigail ada ahmed ali alex alexa alice amy ana andrea angela ann anna anton april art ask august ben bill bjorn bob ' +
    'brook carl carla carlos carmen carol chad chance charity chris christian claire cliff constance dale dan dana daria ' +
    'dawn dean denver dev diego dolores don drew duke earl eduardo ella emma erika ernest eva faith fatima felix ' +
    'florence francesco frank gene genesis georgia gill ginger glen grace grant guy hanna harmony hassan heather heidi ' +
    'henry holly hope hugo ida igor india ines ion iris iroda iva ivan ivy jack jacob jade jan jane jasmine jean jesus joan ' +
    'joe john jose joy juan july june justice kai karim kim kurt lance lara laura lee leo li lily linda london louis ' +
    'lucia luis luna madison mai maria marina mario mark mary mason max may maya mercedes mercy merit miguel mohamed ' +
    'mona nadia nina nora olga olive oscar paige paris pat patience paul pearl pedro penny peter petra phoenix pia prince ' +
    'prudence rafael rain ray reed rich rita rob robin rod rose roy ruby ruth sage sam sara scout seo serena shirley sky ' +
    'sofia sonny stella sue sung summer susan sydney tanya taylor ted teresa theo tim tina tom tony uwe vera verity ' +
    'victor victoria viola walter wang warren wei will winter yan yuki yusuf zoe ' +
    'abbott archer bailey baker banks bauer bishop bot brand brewer butler carpenter carter chandler cook cooper crew ' +
    'engineer farmer fisher forester gardener guest hunter judge kasse kaufmann king koch list major marshall mayor ' +
    'meyer miller mueller page parker pastor pope porter potter price ritter sawyer schmidt schneider schreiber sexton ' +
    'shepherd singer smith spencer steward taylor turner vogt wagner walker weaver webb weber wright';
  for (const name of people.split(' ')) assert.equal(roles.has(name), false, name);
});

test('the joined words of a role make no name by accident', () => {
  for (const name of [
    'ann.lee',
    'lee.ann',
    'noreen',
    'allie',
    'ito',
    'itai',
    'teammate',
    'prosper',
    'hr.mueller',
  ]) {
    assert.equal(roles.has(name), false, name);
  }
});

test('offices that people write to are roles', () => {
  for (const name of [
    ...['administration', 'applications', 'appointments', 'communication', 'donations'],
    ...['informatica', 'logistica', 'account'],
  ])
    assert.equal(roles.has(name), true, name);
});

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
