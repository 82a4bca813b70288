import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createApiClient } from '../../support/api-client.ts';
import { databasePlaces } from './database-places.ts';
import { openAccount } from './open-account.ts';
import { openHouse } from './open-house.ts';
import { overspend } from './overspend.ts';
import { runCommand } from './run-command.ts';
import { serve, type Serving } from './serve.ts';

for (const { name, settings } of databasePlaces) {
  test(`a thousand requests at once on a hundred credits on ${name}: a hundred charged, nine hundred refused, books balanced`, async (t) => {
    const { home, close } = await openHouse(await settings());
    const started: Serving[] = [];
    t.after(async () => {
      await Promise.all(started.map((one) => one.kill()));
      await close();
    });
    const account = await openAccount(home, { name: 'eager', credits: 100 });
    const serving = await serve(home);
    started.push(serving);
    const client = createApiClient(serving.url);
    t.diagnostic(`turned away: ${await overspend({ home, clients: [client], ...account })}`);
    assert.deepEqual(await runCommand(['audit'], home), { accounts: 1, tasks: 0, violations: [] });
    client.close();
  });
}
