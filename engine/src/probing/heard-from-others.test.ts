import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { createTestClock } from '../../test/support/test-clock.ts';
import { defaultLimits } from '../limits.ts';
import type { MemoryNamespace } from '../memory.ts';
import type { CanonicalHost } from '../syntax/address.ts';
import { createDomainFacts, laterAnswer, createProviderBeliefs } from './domain-facts.ts';
import { createHostMemory, joinTraits, type HostTraits } from './host-traits.ts';

/** Facts that other engines learnt, in whatever order the news arrives. */

const hour = 3_600_000;
const domain = 'list.test' as CanonicalHost;
const target = { host: 'mx.list.test' as CanonicalHost, address: '192.0.2.1' };
const asked = { target, provider: undefined, route: 'default' };
const factKey = 'list.test mx.list.test 192.0.2.1';

function openFacts(namespace: MemoryNamespace) {
  const clock = createTestClock();
  const beliefs = createProviderBeliefs({ clock, limits: defaultLimits, onProblem: () => undefined });
  return createDomainFacts({ clock, limits: defaultLimits, memory: namespace, beliefs });
}

function openNamespace(key: string = domain) {
  let hear: Parameters<MemoryNamespace['follow']>[0] = () => undefined;
  const namespace: MemoryNamespace = { follow: (take) => void (hear = take), learn: () => undefined };
  return { namespace, tell: (value: unknown, lifeMs: number) => hear({ key, value, lifeMs }) };
}

test('the later of two answers about made-up addresses holds, whichever is heard first', () => {
  const { catchAllYesMs, catchAllNoMs } = defaultLimits;
  const yesLongAgo = [{ answer: 'yes' }, catchAllYesMs - 2 * hour] as const;
  const noLately = [{ answer: 'no' }, catchAllNoMs - hour] as const;
  for (const news of [
    [yesLongAgo, noLately],
    [noLately, yesLongAgo],
  ]) {
    const { namespace, tell } = openNamespace(factKey);
    const facts = openFacts(namespace);
    for (const [value, lifeMs] of news) tell(value, lifeMs);
    assert.equal(facts.recall(domain, target)?.answer.kind, 'no');
  }
});

test('facts that an engine learnt itself are not displaced by older news', () => {
  const { namespace, tell } = openNamespace(factKey);
  const facts = openFacts(namespace);
  facts.learn(domain, asked, { answer: 'yes' });
  tell({ answer: 'no' }, defaultLimits.catchAllNoMs - hour);
  assert.equal(facts.recall(domain, target)?.answer.kind, 'yes');
});

test('a fact of one host says nothing of another host, nor of another address behind its name', () => {
  const { namespace, tell } = openNamespace(factKey);
  const facts = openFacts(namespace);
  tell({ answer: 'no' }, hour);
  assert.equal(facts.recall(domain, target)?.answer.kind, 'no');
  assert.equal(facts.recall(domain, { ...target, host: 'mx2.list.test' as CanonicalHost }), undefined);
  assert.equal(facts.recall(domain, { ...target, address: '192.0.2.2' }), undefined);
});

test('facts that an earlier release kept by domain are not carried over', () => {
  const { namespace, tell } = openNamespace();
  const facts = openFacts(namespace);
  tell('no', hour);
  tell({ answer: 'no' }, hour);
  assert.equal(facts.recall(domain, target), undefined);
});

test('traits that two engines found are known to both, for as long as the later one lives', () => {
  const clock = createTestClock();
  const { namespace, tell } = openNamespace();
  const memory = createHostMemory(clock, defaultLimits, namespace);
  memory.learn(domain, { tls: 'demanded' });
  tell({ oneRecipient: true, refusalsTaken: 3 }, hour);
  assert.deepEqual(memory.recall(domain), { tls: 'demanded', oneRecipient: true, refusalsTaken: 3 });
  clock.after(2 * hour, () => undefined);
  clock.step();
  assert.equal(memory.recall(domain).tls, 'demanded');
});

test('a fact that another engine forgets is forgotten', () => {
  const answers = openNamespace(factKey);
  const facts = openFacts(answers.namespace);
  answers.tell({ answer: 'yes' }, hour);
  answers.tell(null, 0);
  assert.equal(facts.recall(domain, target), undefined);
  const hosts = openNamespace();
  const hostMemory = createHostMemory(createTestClock(), defaultLimits, hosts.namespace);
  hosts.tell({ tls: 'broken' }, hour);
  hosts.tell(null, 0);
  assert.deepEqual(hostMemory.recall(domain), {});
});

const traits: fc.Arbitrary<HostTraits> = fc.record(
  {
    tls: fc.constantFrom('demanded', 'broken'),
    oneRecipient: fc.constant(true),
    refusalsTaken: fc.integer({ min: 1, max: 3 }),
  },
  { requiredKeys: [], noNullPrototype: true },
);
const answers = fc.record(
  { answer: fc.constantFrom('yes', 'no'), ageMs: fc.integer({ min: 0, max: 3 }) },
  { noNullPrototype: true },
);

test('neither order nor repetition of the news makes a difference', () => {
  fc.assert(
    fc.property(traits, traits, traits, (a, b, c) => {
      assert.deepEqual(joinTraits(a, b), joinTraits(b, a));
      assert.deepEqual(joinTraits(joinTraits(a, b), c), joinTraits(a, joinTraits(b, c)));
      assert.deepEqual(joinTraits(a, a), a);
    }),
  );
  fc.assert(
    fc.property(answers, answers, answers, (a, b, c) => {
      assert.deepEqual(laterAnswer(a, b), laterAnswer(b, a));
      assert.deepEqual(laterAnswer(laterAnswer(a, b), c), laterAnswer(a, laterAnswer(b, c)));
    }),
  );
});
