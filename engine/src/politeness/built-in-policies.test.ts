import assert from 'node:assert/strict';
import { test, describe } from 'node:test';
import { providerTable } from '../replies/providers.ts';
import {
  defaultPoliteness,
  politenessTable,
  unpaced,
  whereUnknownMailboxesAreCounted,
  builtInPolicies,
  forbiddingProviders,
  parseAskProviders,
  type BuiltInPolicy,
} from './built-in-policies.ts';
import { groupOf, createPolicyBook } from './create-policy-book.ts';
import type { PolicyFile } from './policy.ts';

test('the defaults are those that were decided', () => {
  assert.deepEqual(defaultPoliteness, {
    conversationsPerAddress: 2,
    conversationsPerNetwork: 5,
    conversationsPerGroup: 3,
    conversationsPerGroupAtMost: 5,
    cleanConversationsToGrow: 100,
    connectionsPerSecond: 1,
    connectionsPerMinute: 30,
    recipientsPerConversation: 10,
    refusalsPerConversation: 5,
    manyUnknownPercent: 30,
    recipientsPerMinuteIfManyUnknown: 30,
    mostUnknownPercent: 60,
    recipientsPerMinuteIfMostUnknown: 10,
    unknownPercent: 10,
    unknownPerMinute: 20,
  });
  assert.deepEqual(whereUnknownMailboxesAreCounted, {
    recipientsPerConversation: 5,
    refusalsPerConversation: 3,
  });
});

test('every default is what the table says, and within the bounds it sets for an operator', () => {
  const values = new Map(Object.entries(defaultPoliteness));
  for (const [name, { value, bounds }] of Object.entries(politenessTable)) {
    assert.equal(values.get(name), value, name);
    assert.ok(value >= bounds[0] && value <= bounds[1], name);
  }
  assert.equal(values.size, Object.keys(politenessTable).length);
});

test('a conversation ends before the errors at which Postfix slows down and the recipients at which Exim turns', () => {
  const recipients = Math.max(
    defaultPoliteness.recipientsPerConversation,
    whereUnknownMailboxesAreCounted.recipientsPerConversation,
  );
  assert.ok(recipients <= 10);
  assert.ok(defaultPoliteness.refusalsPerConversation < 10);
});

test('without pacing no rate and no concurrency binds, and a conversation holds as much as before', () => {
  const before = { ...defaultPoliteness, ...whereUnknownMailboxesAreCounted };
  assert.deepEqual(unpaced(before), {
    conversationsPerAddress: Infinity,
    conversationsPerNetwork: Infinity,
    conversationsPerGroup: Infinity,
    conversationsPerGroupAtMost: Infinity,
    cleanConversationsToGrow: 100,
    connectionsPerSecond: Infinity,
    connectionsPerMinute: Infinity,
    recipientsPerConversation: 5,
    refusalsPerConversation: 3,
    manyUnknownPercent: 30,
    recipientsPerMinuteIfManyUnknown: Infinity,
    mostUnknownPercent: 60,
    recipientsPerMinuteIfMostUnknown: Infinity,
    unknownPercent: 10,
    unknownPerMinute: Infinity,
  });
  assert.equal(before.conversationsPerAddress, 2);
});

const byGroup = new Map<string, BuiltInPolicy>(builtInPolicies.map((policy) => [policy.group, policy]));

test('each group is named once, and hosts are counted under it', () => {
  assert.equal(byGroup.size, builtInPolicies.length);
  for (const group of byGroup.keys()) {
    const host = providerTable.find(({ id }) => id === group)?.suffixes[0] ?? `.${group}`;
    assert.equal(groupOf(`mx1${host}`), group);
  }
});

test('providers known to accept every recipient are not asked, and no others', () => {
  const known = providerTable.filter(({ acceptsEverything }) => acceptsEverything === true);
  const unasked = builtInPolicies.filter(({ asking }) => asking === 'takes_every_address');
  assert.deepEqual(unasked.map(({ group }) => group).sort(), known.map(({ id }) => id).sort());
  assert.ok(builtInPolicies.every(({ asking }) => asking !== 'skip'));
});

test('at a provider that counts unknown recipients a conversation names five and bears three refusals', () => {
  const counting = builtInPolicies.filter(({ politeness }) => politeness?.refusalsPerConversation === 3);
  assert.deepEqual(counting.map(({ group }) => group).sort(), [
    'apple',
    'cox.net',
    'godaddy',
    'mxroute',
    'yahoo',
  ]);
  assert.ok(counting.every(({ politeness }) => politeness?.recipientsPerConversation === 5));
});

test('a provider is treated more gently than the defaults or not otherwise', () => {
  for (const { group, politeness = {} } of builtInPolicies) {
    for (const [name, { value, bounds }] of Object.entries(politenessTable)) {
      const stated = new Map(Object.entries(politeness)).get(name) ?? value;
      assert.ok(stated <= value && stated >= bounds[0], `${group} ${name}`);
    }
  }
  assert.equal(byGroup.get('orange')?.politeness?.conversationsPerGroupAtMost, 2);
});

test('every row tells the stance it follows from, as a sentence', () => {
  for (const { group, stance } of builtInPolicies) assert.match(stance, /^[A-Z].*\.$/, group);
});

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
