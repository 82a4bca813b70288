import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createTestClock } from '../../test/support/test-clock.ts';
import { defaultLimits } from '../limits.ts';
import type { MemoryNamespace } from '../memory.ts';
import { canonicalHost } from '../syntax/canonical-host.ts';
import { createProviderBeliefs, type BeliefCheck } from './domain-facts.ts';

const host = (name: string) => canonicalHost(name)!;
const [icloud, me, custom] = [host('icloud.com'), host('me.com'), host('custom.example')];
const check: BeliefCheck = { mailHost: host('mx01.mail.icloud.com'), route: 'default' };
const dayMs = 86_400_000;

function setUp(memory?: MemoryNamespace, clock = createTestClock()) {
  const lines: string[] = [];
  const beliefs = createProviderBeliefs({
    clock,
    limits: defaultLimits,
    onProblem: (line) => lines.push(line),
    ...(memory === undefined ? {} : { memory }),
  });
  return { clock, beliefs, lines };
}

test('a provider is believed at its own domains, and asked there once a day for each egress route', () => {
  const { clock, beliefs } = setUp();
  assert.ok(beliefs.holds(icloud, check.mailHost) && beliefs.isDue(icloud, check));
  assert.ok(
    !beliefs.holds(custom, check.mailHost) && !beliefs.isDue(custom, check),
    'not at those of customers',
  );
  beliefs.begin(icloud, check);
  assert.ok(!beliefs.isDue(me, check), 'one question is enough, whichever of its domains it is for');
  beliefs.note(icloud, check, 'no');
  assert.ok(beliefs.holds(icloud, check.mailHost));
  assert.ok(beliefs.isDue(icloud, { ...check, route: 'second' }));
  clock.advance(dayMs - 1);
  assert.ok(!beliefs.isDue(icloud, check));
  clock.advance(1);
  assert.ok(beliefs.isDue(icloud, check));
});

test('if the question brings no answer it is asked again ten minutes later, and the belief stands', () => {
  const { clock, beliefs } = setUp();
  beliefs.begin(icloud, check);
  clock.advance(600_000 - 1);
  assert.ok(!beliefs.isDue(icloud, check));
  clock.advance(1);
  assert.ok(beliefs.isDue(icloud, check) && beliefs.holds(icloud, check.mailHost));
});

test('a provider that accepts a made-up address is doubted for a day at all its domains, and that is told once', () => {
  const { clock, beliefs, lines } = setUp();
  beliefs.begin(icloud, check);
  beliefs.note(icloud, check, 'yes');
  beliefs.note(me, check, 'yes');
  assert.ok(!beliefs.holds(icloud, check.mailHost) && !beliefs.holds(me, check.mailHost));
  assert.deepEqual(lines, [
    'apple accepts made-up addresses at its own domains: for a day it is asked like any other',
  ]);
  clock.advance(dayMs);
  assert.ok(beliefs.holds(icloud, check.mailHost) && beliefs.isDue(icloud, check));
});

test('doubts and checks outlive a restart and are heard by other engines', () => {
  const kept: { key: string; value: unknown; lifeMs: number }[] = [];
  const memory: MemoryNamespace = {
    follow: (take) => kept.forEach(take),
    learn: (key, value, lifeMs) => void kept.push({ key, value, lifeMs }),
  };
  setUp(memory).beliefs.note(icloud, check, 'no');
  assert.ok(!setUp(memory).beliefs.isDue(icloud, check));
  setUp(memory).beliefs.note(icloud, check, 'yes');
  assert.ok(!setUp(memory).beliefs.holds(icloud, check.mailHost));
});
