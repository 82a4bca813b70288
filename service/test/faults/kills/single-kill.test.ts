import assert from 'node:assert/strict';
import { it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import type { WorldDescription } from '@mailproof/world';
import { createApiClient, singlePath, type Answered } from '../../support/api-client.ts';
import { openFixture } from '../../support/open-fixture.ts';
import { until } from '../../support/until.ts';

/** Slow enough for its conversation to be running when the process is killed. */
const description: WorldDescription = {
  zones: { 'slow.test': { mx: [[10, 'mx.slow.test']] } },
  hosts: { 'mx.slow.test': { mailboxes: { ann: 'exists' }, temper: { replyDelayMs: 3_000 } } },
};

const freeWithinMs = 10_000;

it('the Idempotency-Key of a single whose process was killed is free within 10 s, and nothing is charged twice', async (t) => {
  const fixture = await openFixture({
    world: description,
    database: 'PostgreSQL',
    settings: { MAILPROOF_SINGLE_TIMEOUT_MS: '60000' },
  });
  t.after(() => fixture.close());
  const { liveKey: key, accountId } = await fixture.openAccount({ credits: 10 });
  const startedAt = performance.now();
  const doomed = await fixture.serve({ role: 'api' });
  /** The time that a process takes to start shows how busy this machine is. */
  const slackMs = performance.now() - startedAt;
  const other = await fixture.serve({ role: 'api' });
  const clients = [doomed, other].map(({ url }) => createApiClient(url));
  t.after(() => clients.forEach((client) => client.close()));
  const [first, second] = clients as [(typeof clients)[0], (typeof clients)[0]];
  const headers = { 'idempotency-key': 'order-1' };
  const call = { path: singlePath, key, headers, body: { email: 'ann@slow.test' } };
  const assertBusy = ({ status, headers: told }: Answered) => {
    assert.equal(status, 409);
    const seconds = Number(told['retry-after']);
    assert.ok(seconds >= 1 && seconds <= 60, `Retry-After: ${String(told['retry-after'])}`);
  };

  const lost = first.send(call);
  await until(() => fixture.world.counts.smtp.connections === 1);
  assertBusy(await second.ask(call));
  await doomed.kill();
  const killedAt = performance.now();
  assert.equal((await lost).kind, 'lost');

  let sentAt = performance.now();
  let answer = await second.ask(call);
  assertBusy(answer);
  while (answer.status === 409) {
    await sleep(100);
    sentAt = performance.now();
    answer = await second.ask(call);
    if (answer.status === 409) assertBusy(answer);
  }
  t.diagnostic(`free ${Math.round(sentAt - killedAt)} ms after the kill`);
  assert.ok(sentAt - killedAt <= freeWithinMs + slackMs, `after ${sentAt - killedAt} ms`);
  assert.deepEqual(
    [answer.status, answer.body['status'], answer.creditsUsed, answer.headers['idempotent-replayed']],
    [200, 'safe', '1', undefined],
  );
  const { spent, reserved } = await fixture.balance(accountId);
  assert.deepEqual([spent, reserved], [1, 0]);
  assert.deepEqual((await fixture.command('audit'))['violations'], []);
});
