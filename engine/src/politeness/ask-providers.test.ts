import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { forbiddingProviders, parseAskProviders } from './ask-providers.ts';
import { createPolicyBook } from './create-policy-book.ts';
import type { PolicyFile } from './policy-file.ts';

describe('MAILPROOF_ASK_PROVIDERS', () => {
  test('all leaves nobody out', () => {
    assert.deepEqual(parseAskProviders('all'), []);
  });

  test('permitted leaves out the providers whose published policy forbids verification', () => {
    assert.deepEqual(parseAskProviders('permitted'), ['outlook']);
    assert.deepEqual(forbiddingProviders, ['outlook']);
  });

  test('names after minus signs are left out', () => {
    assert.deepEqual(parseAskProviders('-outlook, -microsoft'), ['outlook', 'microsoft']);
  });

  for (const text of [
    '',
    'none',
    'outlook',
    '-',
    '-nobody',
    '-outlook,',
    '-outlook,google',
    'all,-google',
    'Permitted',
  ])
    test(`cannot be ${JSON.stringify(text)}`, () => assert.equal(parseAskProviders(text), undefined));
});

describe('a provider that is left out', () => {
  const outlookHost = 'hotmail-com.olc.protection.outlook.com';

  test('is skipped, and the others are treated as before', () => {
    const book = createPolicyBook({ pacing: 'on', leftOut: ['outlook', 'yahoo'] });
    assert.equal(book.policyFor(outlookHost).asking, 'skip');
    assert.equal(book.policyFor('mta5.am0.yahoodns.net').asking, 'skip');
    assert.equal(book.policyFor('example-com.mail.protection.outlook.com').asking, 'probe');
    assert.equal(book.policyFor('mx1.example.com').asking, 'probe');
    assert.equal(book.policyFor('mxs.mail.ru').asking, 'takes_every_address');
  });

  test('is asked all the same where the providers file says so', () => {
    const file = (name: string): PolicyFile => ({
      providers: new Map([[name, { asking: 'probe' as const }]]),
      routes: [],
      canaries: [],
    });
    for (const name of ['outlook', '.hotmail-com.olc.protection.outlook.com']) {
      const book = createPolicyBook({ file: file(name), pacing: 'on', leftOut: ['outlook'] });
      assert.equal(book.policyFor(outlookHost).asking, 'probe', name);
    }
    const other = createPolicyBook({ file: file('google'), pacing: 'on', leftOut: ['outlook'] });
    assert.equal(other.policyFor(outlookHost).asking, 'skip');
  });
});
