import assert from 'node:assert/strict';
import { test } from 'node:test';
import { startEngine } from '../support/start-engine.ts';

/** A mail host at a public address, which no test may reach, and one at home. */
const fixture = {
  zones: {
    'public.test': { mx: [[10, 'mx.public.test'] as [number, string]] },
    'mx.public.test': { a: ['9.9.9.9'] },
    'home.test': { mx: [[10, 'mx.home.test'] as [number, string]] },
    'probe.test': { mx: [[10, 'mx.home.test'] as [number, string]], a: ['10.1.2.3'] },
  },
  hosts: { 'mx.home.test': { mailboxes: { ada: 'exists' as const } } },
};

test('no public mail host is dialled under a name that is not ours, and it is said why', async () => {
  const told: string[] = [];
  const running = await startEngine(fixture, {
    onProblem: (message) => void told.push(message),
  });
  try {
    const outcome = await running.verify('ada@public.test');
    assert.ok(outcome.kind === 'unavailable');
    assert.equal(outcome.explanation.reason, 'identity_unproven');
    assert.equal(running.engine.counts().dialled, 0);
    assert.match(
      told.join('\n'),
      /^public mail hosts are not asked: the HELO name probe\.test .*MAILPROOF_HELO_NAME/,
    );
    assert.match(running.engine.health().identity[0]?.problem ?? '', /probe\.test/);
    assert.equal(running.engine.egress.problem('default'), 'identity_unproven');
  } finally {
    await running.stop();
  }
});

test('opened blocks are free of it: nothing of ours is looked up, and no round trip is added', async () => {
  const running = await startEngine(fixture);
  try {
    const outcome = await running.verify('ada@home.test');
    assert.equal(outcome.kind === 'verdict' && outcome.verdict.status, 'safe');
    assert.deepEqual(running.engine.health().identity, []);
    assert.ok(!running.world.dnsQueries.some(({ name }) => name.includes('probe.test')));
  } finally {
    await running.stop();
  }
});

test('with the check off nothing of ours is looked up, whatever is opened', async () => {
  const running = await startEngine(fixture, { identityCheck: 'off', egressAllow: [] });
  try {
    assert.deepEqual(
      [running.engine.health().identity, running.engine.egress.problem('default')],
      [[], undefined],
    );
    assert.equal(running.world.dnsQueries.length, 0);
  } finally {
    await running.stop();
  }
});
