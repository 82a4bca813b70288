import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  allParents,
  domainFamily,
  isKnownSuffix,
  isPublicSuffix,
  registrableDomain,
  someOfFamily,
} from './domain-family.ts';

test('a family goes up to the registrable domain and not to the suffix above it', () => {
  assert.deepEqual(domainFamily('a.b.c.example.com'), [
    'a.b.c.example.com',
    'b.c.example.com',
    'c.example.com',
    'example.com',
  ]);
  assert.deepEqual(domainFamily('mail.example.co.uk'), ['mail.example.co.uk', 'example.co.uk']);
  assert.deepEqual(domainFamily('example.com'), ['example.com']);
});

test('a suffix that a company lets strangers register under ends a family too', () => {
  assert.deepEqual(domainFamily('a.b.github.io'), ['a.b.github.io', 'b.github.io']);
  assert.equal(registrableDomain('b.github.io'), 'b.github.io');
});

test('a public suffix has no owner, so it has no family but itself', () => {
  assert.deepEqual(domainFamily('co.uk'), ['co.uk']);
  assert.deepEqual(domainFamily('github.io'), ['github.io']);
  assert.equal(isPublicSuffix('co.uk') && isPublicSuffix('github.io'), true);
  assert.equal(isPublicSuffix('example.co.uk') || isPublicSuffix('b.github.io'), false);
});

test('an internationalised suffix is known in its ASCII form', () => {
  assert.deepEqual(domainFamily('a.b.xn--p1ai'), ['a.b.xn--p1ai', 'b.xn--p1ai']);
  assert.equal(isKnownSuffix('b.xn--p1ai'), true);
});

test('a name under no suffix that exists is told from one that is', () => {
  assert.equal(isKnownSuffix('example.com') && isKnownSuffix('b.github.io'), true);
  assert.equal(isKnownSuffix('hotmail.con') || isKnownSuffix('a.test'), false);
});

test('a family is asked through from the host to what was registered, and no further than the first hit', () => {
  for (const host of [
    'a.b.c.example.com',
    'mail.example.co.uk',
    'example.com',
    'a.b.github.io',
    'co.uk',
    'test',
  ]) {
    const asked: string[] = [];
    const registrable = registrableDomain(host) ?? host;
    assert.equal(
      someOfFamily(host, registrable, (name) => asked.push(name) === 0),
      false,
    );
    assert.deepEqual(asked, domainFamily(host));
  }
  assert.ok(someOfFamily('a.b.example.com', 'example.com', (name) => name === 'b.example.com'));
});

test('all parents go up to the last two labels', () => {
  assert.deepEqual(allParents('a.b.example.test'), ['a.b.example.test', 'b.example.test', 'example.test']);
});
