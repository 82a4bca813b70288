import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { createApiClient, singlePath } from '../../support/api-client.ts';
import { databasePlaces } from './database-places.ts';
import { openAccount } from './open-account.ts';
import { openHouse } from './open-house.ts';
import { runCommand } from './run-command.ts';
import { serve, type Serving } from './serve.ts';

const retryMs = 500;

for (const { name, settings } of databasePlaces) {
  test(`a thousand requests at once on a hundred credits on ${name}: a hundred charged, nine hundred refused, books balanced`, async (t) => {
    const { home, close } = await openHouse(await settings());
    const started: Serving[] = [];
    t.after(async () => {
      await Promise.all(started.map((one) => one.kill()));
      await close();
    });
    const { accountId, liveKey } = await openAccount(home, { name: 'eager', credits: 100 });
    const serving = await serve(home);
    started.push(serving);
    const caller = createApiClient(serving.url);
    const startedAt = performance.now();
    let shed = 0;
    // A machine with much else to do may turn some away (503). They come again, as they are told to.
    const ask = async (n: number) => {
      for (;;) {
        const body = { email: `p${n}@nullmx.test` };
        const answer = await caller.send({ path: singlePath, key: liveKey, body });
        if (answer.kind === 'lost' || answer.status !== 503) return answer;
        shed += 1;
        await sleep(retryMs);
      }
    };
    const answers = await Promise.all(Array.from({ length: 1_000 }, (_, n) => ask(n)));
    t.diagnostic(`answered within ${Math.round(performance.now() - startedAt)} ms, turned away ${shed}`);
    const kinds: Record<string, number> = {};
    for (const answer of answers) {
      const kind = answer.kind === 'lost' ? 'lost' : `${answer.status}, ${answer.creditsUsed} used`;
      kinds[kind] = (kinds[kind] ?? 0) + 1;
    }
    assert.deepEqual(kinds, { '200, 1 used': 100, '429, 0 used': 900 });
    assert.deepEqual(await runCommand(['credits', 'show', accountId], home), {
      account_id: accountId,
      granted: 100,
      available: 0,
      reserved: 0,
      spent: 100,
    });
    assert.deepEqual(await runCommand(['audit'], home), { accounts: 1, tasks: 0, violations: [] });
    caller.close();
  });
}
