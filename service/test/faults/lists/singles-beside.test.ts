import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import type { WorldDescription } from '@mailproof/world';
import { createApiClient, listsPath, singlePath, type ApiClient } from '../../support/api-client.ts';
import { openFixture } from '../../support/open-fixture.ts';

const mailboxes = 100;
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

const rows = 60_000;
const clients = 12;
/** Between an answer and the next request: how many are answered depends on this, and less on a busy machine. */
const thinkMs = 500;
const retryMs = 250;

/** Clients of one account that ask one after the other, and again soon if they are refused. */
function startClients(client: ApiClient, key: string) {
  const over = new AbortController();
  const answeredAt: number[] = [];
  async function ask(number: number): Promise<void> {
    for (let n = number; !over.signal.aborted; n += clients) {
      const body = { email: `p${n % mailboxes}@brisk.test` };
      const answer = await client.send({ path: singlePath, key, body });
      const isAnswered = answer.kind === 'answered' && answer.status === 200;
      if (isAnswered) answeredAt.push(performance.now());
      await sleep(isAnswered ? thinkMs : retryMs);
    }
  }
  const asking = Array.from({ length: clients }, (_, n) => ask(n));
  return {
    perSecond: (from: number, to: number) =>
      (1_000 * answeredAt.filter((at) => at >= from && at < to).length) / (to - from),
    end: async () => {
      over.abort();
      await Promise.all(asking);
    },
  };
}

for (const database of ['SQLite', 'PostgreSQL'] as const)
  test(`while an account uploads and starts a list, its singles and others’ are answered, on ${database}`, async (t) => {
    const fixture = await openFixture({ world, database });
    t.after(() => fixture.close());
    const [own, other] = [
      await fixture.openAccount({ credits: 2 * rows }),
      await fixture.openAccount({ credits: rows }),
    ];
    // Nobody runs the list: what is measured is its upload and its start.
    const service = await fixture.serve({ role: 'api' });
    const client = createApiClient(service.url);
    t.after(() => client.close());
    const loads = [startClients(client, own.liveKey), startClients(client, other.liveKey)];
    await sleep(6_000);
    const uploadedAt = performance.now();
    const headers = { 'content-type': 'text/csv' };
    const body = Array.from({ length: rows }, (_, n) => `p${n}@d${n % 500}.test`).join('\n');
    const uploaded = await client.ask({ path: listsPath, key: own.liveKey, body, headers });
    const path = `${listsPath}/${String(uploaded.body['list_id'])}`;
    const started = await client.ask({ path: `${path}/start`, key: own.liveKey, body: {} });
    const startedAt = performance.now();
    assert.equal(started.status, 202);
    const idle = loads.map((load) => load.perSecond(uploadedAt - 4_000, uploadedAt));
    const beside = loads.map((load) => load.perSecond(uploadedAt, startedAt));
    await Promise.all(loads.map((load) => load.end()));
    t.diagnostic(JSON.stringify({ tookMs: Math.round(startedAt - uploadedAt), idle, beside }));
    for (const [n, name] of ['its own', 'others’'].entries())
      assert.ok(
        (beside[n] ?? 0) >= 0.3 * (idle[n] ?? Infinity),
        `of ${name} singles ${beside[n]} a second were answered, and ${idle[n]} before`,
      );
    assert.deepEqual((await fixture.command('audit'))['violations'], []);
  });
