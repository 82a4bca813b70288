import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createApiClient } from '../../support/api-client.ts';
import { overspend } from './overspend.ts';
import { openLoadFixture } from './load-world.ts';

for (const database of ['SQLite', 'PostgreSQL'] as const) {
  test(`a thousand requests at once on a hundred credits on ${database}: a hundred charged, nine hundred refused, books balanced`, async (t) => {
    const fixture = await openLoadFixture({ database });
    t.after(() => fixture.close());
    const account = await fixture.openAccount({ name: 'eager', credits: 100 });
    const client = createApiClient((await fixture.serve()).url);
    t.diagnostic(`turned away: ${await overspend({ fixture, clients: [client], ...account })}`);
    assert.deepEqual(await fixture.command('audit'), { accounts: 1, tasks: 0, violations: [] });
    client.close();
  });
}
