import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  defaultPoliteness,
  politenessTable,
  unpaced,
  whereUnknownMailboxesAreCounted,
} from './default-politeness.ts';

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
