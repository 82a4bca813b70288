import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { createApiClient, listsPath } from '../../support/api-client.ts';
import { openFixture } from '../../support/open-fixture.ts';
import { briskWorld, startSteadyClients } from '../../support/steady-clients.ts';

const rows = 60_000;
const load = { clients: 12, thinkMs: 500 };

for (const database of ['SQLite', 'PostgreSQL'] as const)
  test(`while an account uploads and starts a list, its singles and others’ are answered, on ${database}`, async (t) => {
    const fixture = await openFixture({ world: briskWorld, database });
    t.after(() => fixture.close());
    const [own, other] = [
      await fixture.openAccount({ credits: 2 * rows }),
      await fixture.openAccount({ credits: rows }),
    ];
    // There is no worker: the upload and the start of the list are measured.
    const service = await fixture.serve({ role: 'api' });
    const client = createApiClient(service.url);
    t.after(() => client.close());
    const loads = [own, other].map(({ liveKey }) => startSteadyClients(client, liveKey, load));
    await sleep(6_000);
    const uploadedAt = performance.now();
    const headers = { 'content-type': 'text/csv' };
    const body = Array.from({ length: rows }, (_, n) => `p${n}@d${n % 500}.test`).join('\n');
    const uploaded = await client.ask({ path: listsPath, key: own.liveKey, body, headers });
    const path = `${listsPath}/${String(uploaded.body['list_id'])}`;
    const started = await client.ask({ path: `${path}/start`, key: own.liveKey, body: {} });
    const startedAt = performance.now();
    assert.equal(started.status, 202);
    const perSecond = (from: number, to: number): number[] =>
      loads.map(({ answeredIn }) => (1_000 * answeredIn(from, to - from)) / (to - from));
    const idle = perSecond(uploadedAt - 4_000, uploadedAt);
    const beside = perSecond(uploadedAt, startedAt);
    await Promise.all(loads.map(({ end }) => end()));
    t.diagnostic(JSON.stringify({ tookMs: Math.round(startedAt - uploadedAt), idle, beside }));
    for (const [n, name] of ['its own', 'others’'].entries())
      assert.ok(
        (beside[n] ?? 0) >= 0.3 * (idle[n] ?? Infinity),
        `of ${name} singles ${beside[n]} a second were answered, and ${idle[n]} before`,
      );
    assert.deepEqual((await fixture.command('audit'))['violations'], []);
  });
