import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { WorldDescription } from '@mailproof/world';
import { createApiClient } from '../../support/api-client.ts';
import { openFixture, type Fixture } from '../../support/open-fixture.ts';
import type { Serving } from '../../support/mailproof.ts';
import { until } from '../../support/until.ts';

/**
 * An egress address that changes hands between real processes: an API that asks no host itself, and probers that
 * own the address one at a time. Hosts are watched from their side.
 */
const names = Array.from({ length: 400 }, (_, n) => `person${n}`);
const description: WorldDescription = {
  zones: { 'list.test': { mx: [[10, 'mx.list.test']] } },
  hosts: {
    'mx.list.test': { mailboxes: Object.fromEntries(names.map((name) => [name, 'exists' as const])) },
  },
};

/** The limit of the default policy, as in docs/providers.md. */
const connectionsPerMinute = 30;

async function ownerOf(fixture: Fixture): Promise<string> {
  const [row] = await fixture.query(`select owner from egress_address where name = 'default'`);
  return typeof row?.['owner'] === 'string' ? row['owner'] : '';
}

function mostInAMinute({ world }: Fixture): number {
  const starts = world.conversations.map(({ startedAt }) => startedAt);
  const inMinuteFrom = (from: number) => starts.filter((at) => at >= from && at < from + 60_000).length;
  return Math.max(0, ...starts.map(inMinuteFrom));
}

for (const database of ['SQLite', 'PostgreSQL'] as const) {
  describe(`an egress address that changes hands on ${database}`, () => {
    it('within 10 s of a stop and of a kill; every address is answered, and the host sees no more than its limit', async (t) => {
      const fixture = await openFixture({
        world: description,
        database,
        settings: { MAILPROOF_PACING: 'on', MAILPROOF_SINGLE_TIMEOUT_MS: '60000' },
      });
      t.after(() => fixture.close());
      const { liveKey: key } = await fixture.openAccount({ credits: 1_000 });
      const startedAt = performance.now();
      let owner: Serving = await fixture.serve({ role: 'prober' });
      /** The time that a process takes to start shows how busy this machine is. */
      const slackMs = performance.now() - startedAt;
      const api = await fixture.serve({ role: 'api' });
      const worker = await fixture.serve({ role: 'worker' });
      const client = createApiClient(api.url);
      t.after(() => client.close());

      const task = await client.createdTask(
        key,
        names.slice(0, 100).map((name) => `${name}@list.test`),
      );
      let asked = 100;
      const askOne = async (): Promise<void> => {
        const { status, body } = await client.verify(key, `${names[(asked += 1)] ?? ''}@list.test`);
        assert.deepEqual([status, body['status']], [200, 'safe'], JSON.stringify(body));
      };
      await askOne();

      /** Returns the time until another process owns the address; singles in between are answered. */
      const changeOwner = async (how: 'stop' | 'kill'): Promise<number> => {
        const next = await fixture.serve({ role: 'prober' });
        const before = await ownerOf(fixture);
        await owner[how]();
        const gone = performance.now();
        const waiting = Promise.all([askOne(), askOne(), askOne()]);
        await until(
          () => ownerOf(fixture),
          (found) => found !== before && found !== '',
        );
        const tookMs = performance.now() - gone;
        await waiting;
        owner = next;
        return tookMs;
      };
      const took = { stop: await changeOwner('stop'), kill: await changeOwner('kill') };
      t.diagnostic(`after a stop ${Math.round(took.stop)} ms, after a kill ${Math.round(took.kill)} ms`);
      assert.ok(took.stop <= 10_000 + slackMs, `${took.stop} ms after a stop`);
      assert.ok(took.kill <= 10_000 + slackMs, `${took.kill} ms after a kill`);

      const results = Object.values(await client.results(key, task));
      assert.deepEqual([results.length, ...new Set(results.map(({ status }) => status))], [100, 'safe']);
      assert.ok(mostInAMinute(fixture) <= connectionsPerMinute, `${mostInAMinute(fixture)} in a minute`);
      assert.deepEqual((await fixture.command('audit'))['violations'], []);
      await Promise.all([api.stop(), worker.stop(), owner.stop()]);
    });
  });
}
