import assert from 'node:assert/strict';
import { test } from 'node:test';
import { systemClock } from '../../src/clock.ts';
import type { Asker } from '../../src/fair-queue.ts';
import { oneHost, startEngine } from '../support/start-engine.ts';

const asker: Asker = { urgency: 'bulk', account: 'a' };

test('a caller that withdraws gets the answer that a mail host already owes, and no other is asked for', async (t) => {
  const running = await startEngine(
    oneHost('slow.test', {
      temper: { pipelining: false, replyDelayMs: 300 },
      mailboxes: { named: 'exists', late: 'exists' },
    }),
  );
  t.after(() => running.stop());
  const { engine, world } = running;
  const withdrawing = new AbortController();
  const verify = (email: string) =>
    engine.verify(email, {
      deadline: systemClock.now() + 60_000,
      signal: new AbortController().signal,
      withdrawn: withdrawing.signal,
      asker,
    });
  const lines = () => world.conversations.flatMap((one) => one.lines);
  const isNamed = (name: string) => lines().some((line) => line.includes(`<${name}@slow.test>`));

  const named = verify('named@slow.test');
  while (!isNamed('named')) await new Promise((resolve) => setTimeout(resolve, 5));
  const reason = new Error('no more of these');
  const late = assert.rejects(verify('late@slow.test'), reason);
  // It waits for a conversation, or for its turn in one.
  await new Promise((resolve) => setTimeout(resolve, 50));
  withdrawing.abort(reason);
  await late;
  const outcome = await named;
  assert.equal(outcome.kind === 'verdict' && outcome.verdict.status, 'safe');
  assert.ok(!isNamed('late'), lines().join('\n'));

  const { connections } = world.counts.smtp;
  await assert.rejects(verify('another@slow.test'), reason);
  assert.equal(world.counts.smtp.connections, connections, 'nothing is begun once it is withdrawn');
});
