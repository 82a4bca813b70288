import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import type { WorldDescription } from '@mailproof/world';
import { createApiClient, singlePath, type ApiClient } from '../../support/api-client.ts';
import { openFixture } from '../../support/open-fixture.ts';
import { startPrivatePostgres } from '@mailproof/world/database';

const mailboxes = 200;
const world: WorldDescription = {
  zones: { 'brisk.test': { mx: [[10, 'mx.brisk.test']] } },
  hosts: {
    'mx.brisk.test': {
      mailboxes: Object.fromEntries(
        Array.from({ length: mailboxes }, (_, n) => [`p${n}`, 'exists' as const]),
      ),
    },
  },
};

const clients = 40;
/** Between an answer and the next request: what is answered a second depends on this, and not on a busy machine. */
const thinkMs = 1_000;
const retryMs = 250;
const outageMs = 30_000;
const windowMs = 4_000;

/** Clients that ask one after the other, and again soon if they are refused. Notes when each was answered. */
function startClients(client: ApiClient, key: string) {
  const over = new AbortController();
  const answeredAt: number[] = [];
  const refused = new Map<string, number>();
  async function ask(number: number): Promise<void> {
    for (let n = number; !over.signal.aborted; n += clients) {
      const body = { email: `p${n % mailboxes}@brisk.test` };
      const answer = await client.send({ path: singlePath, key, body });
      if (answer.kind === 'answered' && answer.status === 200) answeredAt.push(performance.now());
      else {
        const why =
          answer.kind === 'lost' ? 'lost' : `${answer.status} ${String(answer.headers['x-error-detail'])}`;
        refused.set(why, (refused.get(why) ?? 0) + 1);
      }
      await sleep(answer.kind === 'answered' && answer.status === 200 ? thinkMs : retryMs);
    }
  }
  const asking = Array.from({ length: clients }, (_, n) => ask(n));
  return {
    refused,
    answeredIn: (from: number, ms: number) => answeredAt.filter((at) => at >= from && at < from + ms).length,
    end: async () => {
      over.abort();
      await Promise.all(asking);
    },
  };
}

test('10 s after 30 s without PostgreSQL, clients that retry are answered as often as before', async (t) => {
  const postgres = await startPrivatePostgres();
  t.after(() => postgres.stop());
  const fixture = await openFixture({ world, settings: { MAILPROOF_DATABASE_URL: postgres.url } });
  t.after(() => fixture.close());
  const { liveKey: key } = await fixture.openAccount({ credits: 100_000 });
  const service = await fixture.serve();
  const client = createApiClient(service.url);
  t.after(() => client.close());
  const load = startClients(client, key);
  await sleep(3 * windowMs);
  const usual = load.answeredIn(performance.now() - 2 * windowMs, 2 * windowMs) / 2;
  const thaw = postgres.freeze();
  await sleep(outageMs);
  thaw();
  const thawedAt = performance.now();
  const seconds: number[] = [];
  await sleep(10_000 + 2 * windowMs);
  for (let at = 0; at < 18; at += 1) seconds.push(load.answeredIn(thawedAt + 1_000 * at, 1_000));
  t.diagnostic(
    JSON.stringify({ usualPerWindow: usual, perSecondAfter: seconds, refused: [...load.refused] }),
  );
  const after = load.answeredIn(thawedAt + 10_000, 2 * windowMs) / 2;
  await load.end();
  assert.ok(usual > 0);
  assert.ok(after >= 0.9 * usual, `${after} answers in ${windowMs} ms, ${usual} before`);
  assert.deepEqual((await fixture.command('audit'))['violations'], []);
});
