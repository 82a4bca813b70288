import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import type { WorldDescription } from '@mailproof/world';
import { bulkPath, createApiClient } from '../../../test/support/api-client.ts';
import { openFixture, type FixtureOptions } from '../../../test/support/open-fixture.ts';
import { until } from '../../../test/support/until.ts';

/** An installation whose only egress address is on a block list: what its callers and its operator are told. */
const list = 'zen.spamhaus.org';
const ours = '192.0.2.25';
const token = 'operator-token-of-this-test-only-0123456789';

const world: WorldDescription = {
  zones: {
    'one.test': { mx: [[10, 'mx.plain.test']] },
    'two.test': { mx: [[10, 'mx.plain.test']] },
  },
  hosts: { 'mx.plain.test': { mailboxes: { ada: 'exists' } } },
  blockLists: { [list]: [ours] },
};

for (const database of ['SQLite', 'PostgreSQL'] as const)
  describe(`a listed egress address on ${database}`, () => {
    test('singles get 502, tasks wait, the operator is told, and rests end opens it', () =>
      withListed(database, async ({ fixture, client }) => {
        const { liveKey: key, accountId } = await fixture.openAccount({ credits: 10 });
        const get = (path: string, as?: string) =>
          client.ask({ method: 'GET', path, ...(as === undefined ? {} : { key: as }) }, { insist: false });
        const ready = await until(
          () => get('/readyz'),
          ({ status }) => status === 503,
        );
        assert.match(ready.text, /default \(listed by zen\.spamhaus\.org\)/);
        const refused = await client.verify(key, 'ada@one.test');
        assert.deepEqual([refused.status, refused.body['reason']], [502, 'verification_unavailable']);
        const task = await client.createdTask(key, ['ada@two.test']);
        await until(
          () => Promise.resolve(fixture.world.dnsQueries),
          (queries) => queries.some(({ name }) => name === 'two.test'),
        );
        assert.doesNotMatch((await get(`${bulkPath}/${task}`, key)).text, /"completed"/);
        const health = await get('/admin/v1/health', token);
        assert.match(health.text, /"state":"closed"/);
        assert.match(health.text, /egress default is closed: zen\.spamhaus\.org lists 192\.0\.2\.25/);
        const listed = { kind: 'egress', name: 'default', reason: `listed by ${list}`, until: null };
        assert.deepEqual(await fixture.command('rests'), listed);
        assert.equal(fixture.world.counts.smtp.connections, 0);
        assert.equal((await fixture.balance(accountId)).spent, 0);

        const ended = await fixture.command('rests', 'end', 'default');
        assert.deepEqual(ended, { kind: 'egress', name: 'default' });
        await until(
          () => get('/readyz'),
          ({ status }) => status === 200,
        );
        assert.equal((await client.verify(key, 'ada@one.test')).body['status'], 'safe');
      }));
  });

type Listed = {
  fixture: Awaited<ReturnType<typeof openFixture>>;
  client: ReturnType<typeof createApiClient>;
};

async function withListed(
  database: FixtureOptions['database'] & string,
  use: (listed: Listed) => Promise<void>,
): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'mailproof-providers-'));
  const file = join(folder, 'providers.json');
  const routes = [{ id: 'default', kind: 'direct', publicAddresses: [ours] }];
  writeFileSync(file, JSON.stringify({ routes }));
  const settings = {
    MAILPROOF_PACING: 'on',
    MAILPROOF_BLOCK_LISTS: list,
    MAILPROOF_PROVIDERS_FILE: file,
    MAILPROOF_RESOLVER_PROBES: 'none',
    MAILPROOF_ADMIN_TOKEN: token,
  };
  const fixture = await openFixture({ world, database, settings });
  const service = await fixture.startHere();
  const client = createApiClient(service.url);
  try {
    await use({ fixture, client });
  } finally {
    client.close();
    await service.stop();
    await fixture.close();
    rmSync(folder, { recursive: true, force: true });
  }
}
