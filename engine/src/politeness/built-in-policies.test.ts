import assert from 'node:assert/strict';
import { test } from 'node:test';
import { providerTable } from '../replies/providers.ts';
import { builtInPolicies, type BuiltInPolicy } from './built-in-policies.ts';
import { politenessTable } from './default-politeness.ts';
import { groupOf } from './group-of.ts';

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
