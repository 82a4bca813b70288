import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { WorldDescription } from '@mailproof/world';
import type { Outcome } from '../../src/verify.ts';
import { startEngine } from '../support/start-engine.ts';

/** Providers that are believed at their own domains without asking for a made-up address, and the effect of that. */
const apple = (host: WorldDescription['hosts'][string]): WorldDescription => ({
  zones: {
    'icloud.com': { mx: [[1, 'mx01.mail.icloud.com']] },
    'me.com': { mx: [[1, 'mx01.mail.icloud.com']] },
  },
  hosts: { 'mx01.mail.icloud.com': host },
});

const statusOf = (outcome: Outcome): string =>
  outcome.kind === 'verdict' ? outcome.verdict.status : outcome.kind;

function recipientsAsked(running: Awaited<ReturnType<typeof startEngine>>): number {
  const lines = running.world.conversations.flatMap(({ lines }) => lines);
  return lines.filter((line) => line.startsWith('C: RCPT')).length;
}

test('a truthful provider is asked for one made-up address, and for no other that day', async () => {
  const running = await startEngine(apple({ mailboxes: { one: 'exists', two: 'exists' } }));
  try {
    assert.equal(statusOf(await running.verify('one@icloud.com')), 'safe');
    assert.equal(recipientsAsked(running), 2, 'the mailbox, and the made-up one beside it');
    assert.equal(statusOf(await running.verify('two@icloud.com')), 'safe');
    assert.equal(statusOf(await running.verify('two@me.com')), 'safe');
    assert.equal(recipientsAsked(running), 4, 'two mailboxes more');
  } finally {
    await running.stop();
  }
});

test('one that accepts it is not believed: its domains are asked like any other, and nothing there is called safe', async () => {
  const problems: string[] = [];
  const running = await startEngine(apple({ temper: { catchAll: true } }), {
    onProblem: (line) => problems.push(line),
  });
  try {
    assert.equal(statusOf(await running.verify('one@icloud.com')), 'catch_all');
    assert.equal(statusOf(await running.verify('two@me.com')), 'catch_all');
    assert.equal(recipientsAsked(running), 4);
    assert.deepEqual(problems, [
      'apple accepts made-up addresses at its own domains: for a day it is asked like any other',
    ]);
  } finally {
    await running.stop();
  }
});

test('one that says neither yes nor no to it is believed as before', async () => {
  const temper = { replies: { unknown: '451 4.7.1 Try again later' } } as const;
  const running = await startEngine(apple({ temper, mailboxes: { one: 'exists' } }));
  try {
    assert.equal(statusOf(await running.verify('one@icloud.com')), 'safe');
  } finally {
    await running.stop();
  }
});
