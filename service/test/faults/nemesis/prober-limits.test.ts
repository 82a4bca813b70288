import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { openInstallation, type Installation } from './open-installation.ts';

/**
 * Two probers that want the same egress address, with the default limits, while a client never stops asking for
 * mailboxes at one host. The host counts from its own side, however the address changes hands.
 */
const host = 'mx.catchall.test';
const connectionsPerMinute = 30;
const clients = 6;
/**
 * The connections of a dead prober count from their opening, because it could not report their arrival. After a
 * death, a busy machine may see connections a little less than a minute apart.
 */
const slackMs = 5_000;

let installation: Installation;
before(async () => {
  installation = await openInstallation({
    apis: 1,
    workers: 0,
    probers: 2,
    settings: { MAILPROOF_PACING: 'on' },
  });
});
after(() => installation.close());

function startAsking(key: string) {
  const answered: number[] = [];
  let over = false;
  let number = 0;
  const ask = async (): Promise<void> => {
    while (!over) {
      number += 1;
      const client = installation.apis[0]?.client();
      const { status } = (await client?.verify(key, `m${number}@catchall.test`)) ?? { status: 0 };
      if (status === 200) answered.push(performance.now());
      else await sleep(200);
    }
  };
  const running = Promise.all(Array.from({ length: clients }, ask));
  return {
    answeredSince: (time: number) => answered.filter((at) => at > time).length,
    end: () => {
      over = true;
      return running;
    },
  };
}

function mostWithinAMinute(): number {
  const times = installation.world.conversations
    .filter((one) => one.host === host)
    .map(({ startedAt }) => startedAt)
    .sort((one, other) => one - other);
  return Math.max(
    0,
    ...times.map((from) => times.filter((at) => at >= from && at < from + 60_000 - slackMs).length),
  );
}

test('an address that changes hands by kill, by standing still and in good order: the host never sees more than its limit', async (t) => {
  const { liveKey } = await installation.openAccount({ name: 'steady', credits: 100_000 });
  const [one, other] = installation.probers;
  assert.ok(one && other);
  await one.start();
  await Promise.all([other.start(), installation.apis[0]?.start()]);
  const asking = startAsking(liveKey);
  await sleep(20_000);

  await one.kill();
  const killedAt = performance.now();
  await sleep(55_000);
  assert.ok(asking.answeredSince(killedAt + 10_000) > 0, 'the other has taken over 10 s after the kill');

  await one.start();
  other.pause();
  const pausedAt = performance.now();
  await sleep(90_000);
  assert.ok(asking.answeredSince(pausedAt + 45_000) > 0, 'the first has it while the other stands still');
  other.resume();
  await sleep(20_000);

  assert.equal(await one.stop(), 0);
  const stoppedAt = performance.now();
  await sleep(30_000);
  assert.ok(asking.answeredSince(stoppedAt) > 0, 'the other has it again after a clean stop');
  await asking.end();

  const most = mostWithinAMinute();
  t.diagnostic(
    `${most} of ${connectionsPerMinute} connections in a minute, ${asking.answeredSince(0)} answers`,
  );
  assert.ok(most <= connectionsPerMinute, `${most} connections in a minute`);
  assert.ok(most > connectionsPerMinute / 2, 'the limit is what held it back');
});
