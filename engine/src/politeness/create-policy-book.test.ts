import assert from 'node:assert/strict';
import { describe, it, test } from 'node:test';
import { createPolicyBook, policiesRemembered } from './create-policy-book.ts';
import { defaultPoliteness, unpaced } from './built-in-policies.ts';
import type { PolicyFile, ProviderSetting } from './policy.ts';

function bookOf(providers: Record<string, ProviderSetting>, pacing: 'on' | 'off' = 'on') {
  const file: PolicyFile = { providers: new Map(Object.entries(providers)), routes: [], canaries: [] };
  return createPolicyBook({ file, pacing });
}

const plain = createPolicyBook({ pacing: 'on' });

describe('the group of a mail host', () => {
  for (const [host, group] of [
    ['gmail-smtp-in.l.google.com', 'google'],
    ['aspmx2.googlemail.com', 'google'],
    ['example-com.mail.protection.outlook.com', 'microsoft'],
    ['hotmail-com.olc.protection.outlook.com', 'outlook'],
    ['mx1.mail.example.com', 'example.com'],
    ['mx1.example.co.uk', 'example.co.uk'],
    ['mx1.host.test', 'host.test'],
    // Under a public suffix strangers register names, so the host belongs to no group but its own.
    ['co.uk', 'co.uk'],
    ['MX1.Example.COM.', 'example.com'],
  ] as const) {
    it(`of ${host} is ${group}`, () => assert.equal(plain.policyFor(host).group, group));
  }

  it('is one for a thousand hosts of one domain, and another for each of a thousand domains', () => {
    const hosts = Array.from({ length: 1_000 }, (_, n) => n);
    assert.equal(new Set(hosts.map((n) => plain.policyFor(`mx${n}.example.com`).group)).size, 1);
    assert.equal(new Set(hosts.map((n) => plain.policyFor(`mx.example${n}.com`).group)).size, 1_000);
  });
});

describe('without a file', () => {
  it('an unknown host is asked, with the defaults, over any route', () => {
    assert.deepEqual(plain.policyFor('mx1.example.com'), {
      group: 'example.com',
      asking: 'probe',
      politeness: defaultPoliteness,
      routes: undefined,
      spread: 1,
      brakes: false,
      countsUnknown: false,
    });
  });

  it('a provider gets what is built in for it', () => {
    const yahoo = plain.policyFor('mta5.am0.yahoodns.net');
    assert.equal(yahoo.asking, 'takes_every_address');
    assert.deepEqual(yahoo.politeness, {
      ...defaultPoliteness,
      recipientsPerConversation: 5,
      refusalsPerConversation: 3,
    });
    assert.equal(plain.policyFor('mxs.mail.ru').asking, 'takes_every_address');
    assert.equal(plain.policyFor('smtp-in.orange.fr').politeness.conversationsPerGroupAtMost, 2);
    assert.equal(plain.policyFor('mx.east.cox.net').politeness.refusalsPerConversation, 3);
    assert.equal(plain.policyFor('gmail-smtp-in.l.google.com').asking, 'probe');
  });
});

describe("the operator's file", () => {
  it('wins over what is built in, and leaves alone what it does not state', () => {
    const book = bookOf({ yahoo: { asking: 'probe' }, google: { politeness: { connectionsPerMinute: 6 } } });
    const yahoo = book.policyFor('mta5.am0.yahoodns.net');
    assert.equal(yahoo.asking, 'probe');
    assert.equal(yahoo.politeness.refusalsPerConversation, 3);
    const google = book.policyFor('alt1.gmail-smtp-in.l.google.com');
    assert.deepEqual(google.politeness, { ...defaultPoliteness, connectionsPerMinute: 6 });
    assert.equal(google.asking, 'probe');
  });

  it('spreads a provider over several egress addresses, and shares out what they may do together', () => {
    const book = bookOf({
      google: { spread: 4, connectionsPerMinuteInAll: 50 },
      outlook: { spread: 2, connectionsPerMinuteInAll: 1_000 },
      apple: { connectionsPerMinuteInAll: 7 },
    });
    const google = book.policyFor('gmail-smtp-in.l.google.com');
    assert.deepEqual([google.spread, google.politeness.connectionsPerMinute], [4, 12]);
    const outlook = book.policyFor('outlook-com.olc.protection.outlook.com');
    assert.deepEqual(
      [outlook.spread, outlook.politeness.connectionsPerMinute],
      [2, defaultPoliteness.connectionsPerMinute],
    );
    const apple = book.policyFor('mx01.mail.icloud.com');
    assert.deepEqual([apple.spread, apple.politeness.connectionsPerMinute], [1, 7]);
  });

  it('divides what one egress address may do over those that share a provider, unless it is said otherwise', () => {
    const book = bookOf({ google: { spread: 3 }, outlook: { spread: 3, multipliesLimits: true } });
    const shared = book.policyFor('gmail-smtp-in.l.google.com').politeness;
    assert.deepEqual(shared, {
      ...defaultPoliteness,
      conversationsPerAddress: 1,
      conversationsPerNetwork: 1,
      conversationsPerGroup: 1,
      conversationsPerGroupAtMost: 1,
      connectionsPerMinute: 10,
      unknownPerMinute: 6,
    });
    const multiplied = book.policyFor('outlook-com.olc.protection.outlook.com').politeness;
    assert.deepEqual(multiplied, defaultPoliteness);
  });

  it('counts unknown recipients at providers, and defers made-up ones where that is known of them', () => {
    const book = bookOf({ 'example.com': { countsUnknown: true }, google: { countsUnknown: false } });
    const told = (host: string) => {
      const { brakes, countsUnknown } = book.policyFor(host);
      return [brakes, countsUnknown];
    };
    assert.deepEqual(told('outlook-com.olc.protection.outlook.com'), [true, true]);
    assert.deepEqual(told('contoso-com.mail.protection.outlook.com'), [true, true]);
    assert.deepEqual(told('aspmx.l.google.com'), [true, false]);
    assert.deepEqual(told('mx.fastmail.messagingengine.com'), [true, false]);
    assert.deepEqual(told('mx.example.com'), [true, true]);
    assert.deepEqual(told('mx.example.net'), [false, false]);
  });

  it('speaks of a group by its registrable domain', () => {
    const book = bookOf({ 'example.com': { asking: 'skip', routes: ['paris'] } });
    for (const host of ['example.com', 'mx1.example.com', 'a.b.example.com']) {
      assert.equal(book.policyFor(host).asking, 'skip', host);
      assert.deepEqual(book.policyFor(host).routes, ['paris'], host);
    }
    assert.equal(book.policyFor('mx1.notexample.com').asking, 'probe');
  });

  it('speaks of hosts by a suffix, the bare name and whole top-level domains included', () => {
    const book = bookOf({ '.mx.example.com': { asking: 'skip' }, '.test': { routes: ['paris'] } });
    assert.equal(book.policyFor('mx.example.com').asking, 'skip');
    assert.equal(book.policyFor('a.mx.example.com').asking, 'skip');
    assert.equal(book.policyFor('amx.example.com').asking, 'probe');
    assert.equal(book.policyFor('example.com').asking, 'probe');
    assert.deepEqual(book.policyFor('mx1.host.test').routes, ['paris']);
  });

  it('counts with the longest suffix, then shorter ones, then the group; order in the file does not matter', () => {
    const entries: [string, ProviderSetting][] = [
      ['.in.google.com', { asking: 'probe' }],
      ['.google.com', { asking: 'skip', politeness: { connectionsPerMinute: 2 } }],
      ['google', { politeness: { connectionsPerMinute: 9, cleanConversationsToGrow: 7 }, routes: ['paris'] }],
    ];
    for (const order of [entries, entries.toReversed()]) {
      const policy = bookOf(Object.fromEntries(order)).policyFor('mx1.in.google.com');
      assert.equal(policy.group, 'google');
      assert.equal(policy.asking, 'probe');
      assert.equal(policy.politeness.connectionsPerMinute, 2);
      assert.equal(policy.politeness.cleanConversationsToGrow, 7);
      assert.deepEqual(policy.routes, ['paris']);
    }
  });

  it('moves the limit of a group and what it grows to together, the one it states being meant', () => {
    const limits = (politeness: NonNullable<ProviderSetting['politeness']>, suffixed = {}) => {
      const book = bookOf({ 'example.com': { politeness }, '.mx.example.com': { politeness: suffixed } });
      const { conversationsPerGroup, conversationsPerGroupAtMost } =
        book.policyFor('mx.example.com').politeness;
      return [conversationsPerGroup, conversationsPerGroupAtMost];
    };
    assert.deepEqual(limits({ conversationsPerGroup: 1 }), [1, 5]);
    assert.deepEqual(limits({ conversationsPerGroup: 10 }), [10, 10]);
    assert.deepEqual(limits({ conversationsPerGroupAtMost: 2 }), [2, 2]);
    assert.deepEqual(limits({ conversationsPerGroupAtMost: 9 }), [3, 9]);
    assert.deepEqual(limits({ conversationsPerGroupAtMost: 2 }, { conversationsPerGroup: 4 }), [4, 4]);
  });
});

describe('without pacing', () => {
  it('rate and concurrency are lifted for every host, stated or not; asking and routes stay', () => {
    const settings = { 'example.com': { politeness: { connectionsPerMinute: 6 }, routes: ['paris'] } };
    const book = bookOf(settings, 'off');
    const stated = book.policyFor('mx1.example.com');
    assert.deepEqual(stated.politeness, unpaced(defaultPoliteness));
    assert.deepEqual(stated.routes, ['paris']);
    const yahoo = book.policyFor('mta5.am0.yahoodns.net');
    assert.equal(yahoo.asking, 'takes_every_address');
    assert.equal(yahoo.politeness.recipientsPerConversation, 5);
    assert.equal(yahoo.politeness.conversationsPerAddress, Infinity);
  });
});

test('an answer is remembered, however the host is spelt, and no caller can change it', () => {
  const book = createPolicyBook({ pacing: 'on' });
  const policy = book.policyFor('mx1.example.com');
  assert.equal(book.policyFor('MX1.example.com.'), policy);
  for (const policy of [book.policyFor('mx1.example.com'), book.policyFor('smtp-in.orange.fr')]) {
    assert.throws(() => (policy.asking = 'skip'), TypeError);
    assert.throws(() => (policy.politeness.connectionsPerMinute = 1_000), TypeError);
  }
});

test('memory is bounded: a host is forgotten once as many others have been asked for', () => {
  const book = createPolicyBook({ pacing: 'on' });
  const first = book.policyFor('mx0.example.com');
  for (let n = 1; n < policiesRemembered; n += 1) book.policyFor(`mx${n}.example.com`);
  assert.equal(book.policyFor('mx0.example.com'), first);
  book.policyFor('one-more.example.com');
  const again = book.policyFor('mx0.example.com');
  assert.notEqual(again, first);
  assert.deepEqual(again, first);
});
