import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { startPrivatePostgres } from '@mailproof/world/database';
import { createApiClient } from '../../support/api-client.ts';
import { openFixture } from '../../support/open-fixture.ts';
import { briskWorld, startSteadyClients } from '../../support/steady-clients.ts';

const outageMs = 30_000;
const windowMs = 4_000;

test('10 s after 30 s without PostgreSQL, clients that retry are answered as often as before', async (t) => {
  const postgres = await startPrivatePostgres();
  t.after(() => postgres.stop());
  const fixture = await openFixture({
    world: briskWorld,
    settings: { MAILPROOF_DATABASE_URL: postgres.url },
  });
  t.after(() => fixture.close());
  const { liveKey: key } = await fixture.openAccount({ credits: 100_000 });
  const service = await fixture.serve();
  const client = createApiClient(service.url);
  t.after(() => client.close());
  const load = startSteadyClients(client, key, { clients: 40, thinkMs: 1_000 });
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
