/** Real faults of the database: `/readyz`, the metrics, `doctor` and the log agree, and name the fault. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import pg from 'pg';
import type { WorldDescription } from '@mailproof/world';
import { mountSmallDisk, startPrivatePostgres } from '@mailproof/world/database';
import { createApiClient, type ApiClient } from '../../support/api-client.ts';
import { runMailproof } from '../../support/mailproof.ts';
import { openFixture, type Fixture } from '../../support/open-fixture.ts';
import { until } from '../../support/until.ts';

const world: WorldDescription = {
  zones: { 'brisk.test': { mx: [[10, 'mx.brisk.test']] } },
  hosts: { 'mx.brisk.test': { mailboxes: { ann: 'exists' } } },
};

type Trouble = { fixture: Fixture; begin: () => unknown; end: () => unknown; close: () => Promise<void> };

const settings = { MAILPROOF_METRICS_PORT: '0', MAILPROOF_RESOLVER_PROBES: 'none' };

async function fullDiskOfSqlite(): Promise<Trouble> {
  const disk = mountSmallDisk(64);
  const fixture = await openFixture({ world, settings: { ...settings, MAILPROOF_DATA_DIR: disk.folder } });
  const close = async () => {
    await fixture.close();
    disk.remove();
  };
  return { fixture, begin: disk.fill, end: disk.makeRoom, close };
}

async function fullDiskOfPostgres(): Promise<Trouble> {
  const disk = mountSmallDisk(192);
  const postgres = await startPrivatePostgres({ dataFolder: disk.folder });
  const fixture = await openFixture({
    world,
    settings: { ...settings, MAILPROOF_DATABASE_URL: postgres.url },
  });
  const close = async () => {
    await fixture.close();
    await postgres.stop();
    disk.remove();
  };
  return { fixture, begin: disk.fill, end: disk.makeRoom, close };
}

async function lockedTable(): Promise<Trouble> {
  const fixture = await openFixture({ world, settings, database: 'PostgreSQL' });
  const client = new pg.Client({ connectionString: fixture.env['MAILPROOF_DATABASE_URL'] });
  await client.connect();
  return {
    fixture,
    begin: () => client.query('begin; lock table account in access exclusive mode'),
    end: () => client.query('rollback'),
    close: async () => {
      await client.end();
      await fixture.close();
    },
  };
}

const troubles = [
  {
    name: 'SQLite’s disk is full',
    open: fullDiskOfSqlite,
    fault: 'full',
    said: /the disk (?:of \S+ )?is full/,
  },
  {
    name: 'PostgreSQL’s disk is full',
    open: fullDiskOfPostgres,
    fault: 'full',
    said: /the disk (?:of \S+ )?is full/,
  },
  {
    name: 'a table is locked in PostgreSQL',
    open: lockedTable,
    fault: 'busy',
    said: /the table account is locked by session \d+ of the server/,
  },
] as const;

for (const { name, open, fault, said } of troubles) {
  test(`${name}: /readyz, metrics, doctor and log agree and name it, and all recovers by itself`, async () => {
    const { fixture, begin, end, close } = await open();
    const lines: string[] = [];
    const { liveKey } = await fixture.openAccount({ credits: 100_000 });
    const service = await fixture.startHere({ logDestination: { write: (line) => void lines.push(line) } });
    const client = createApiClient(service.url);
    try {
      await untilReady(client);
      await begin();
      const problems = await until(
        async () => (await readyz(client)).text,
        (text) => said.test(text),
      );
      assert.match(problems, /not_ready/);
      const wanted = new RegExp(`^mailproof_store_fault\\{fault="${fault}"\\} 1$`, 'm');
      const scraped = await until(
        () => scrape(service.metricsUrl),
        (text) => wanted.test(text),
      );
      assert.match(scraped, /^mailproof_store_available 0$/m);
      await assertDoctorSays(fixture, said);
      await askUntilRefused(client, liveKey, 50);
      assertOneLine(lines, fault);
      await end();
      await untilReady(client);
      await until(
        () => scrape(service.metricsUrl),
        (text) => /^mailproof_store_available 1$/m.test(text) && !text.includes('mailproof_store_fault{'),
      );
      const { status } = await client.verify(liveKey, 'ann@brisk.test');
      assert.equal(status, 200);
    } finally {
      client.close();
      await service.stop();
      await close();
    }
  });
}

async function assertDoctorSays({ env }: Fixture, said: RegExp): Promise<void> {
  const { code, stdout } = await runMailproof(['doctor', '--json'], { env });
  assert.equal(code, 1);
  const { checks } = JSON.parse(stdout) as { checks: { check: string; state: string; seen: string }[] };
  // The disk of SQLite is that of the data directory, and may have room for one small write.
  const found = checks.filter(
    ({ check, state }) => /^(?:database|data directory)$/.test(check) && state === 'problem',
  );
  assert.ok(
    found.some(({ seen }) => said.test(seen)),
    stdout,
  );
}

function readyz(client: ApiClient) {
  return client.ask({ method: 'GET', path: '/readyz' }, { insist: false });
}

async function untilReady(client: ApiClient): Promise<void> {
  await until(
    () => readyz(client),
    ({ status }) => status === 200,
  );
}

async function scrape(url: string | undefined): Promise<string> {
  return (await fetch(url ?? '')).text();
}

/** Sends requests until `most` got 503; some in between may find a free page. */
async function askUntilRefused(client: ApiClient, key: string, most: number): Promise<void> {
  let refused = 0;
  let at = 0;
  await until(
    async () => {
      at += 1;
      const body = { email: `a${at}@brisk.test` };
      const answer = await client.ask({ path: '/api/v1/email-verification', key, body }, { insist: false });
      if (answer.status === 503) refused += 1;
      return refused;
    },
    (seen) => seen >= most,
  );
}

/** Asserts one line when a fault begins, for any number of failed requests and jobs; the next comes a minute later. */
function assertOneLine(lines: readonly string[], fault: string): void {
  const told = lines.map((line) => JSON.parse(line) as Record<string, unknown>);
  const ofStore = told.filter((line) => String(line['fault']).startsWith('store_'));
  const minutes = new Set(
    ofStore.map((line) => `${String(line['fault'])} ${Math.floor(Number(line['time']) / 60_000)}`),
  );
  assert.ok(ofStore.length > 0 && ofStore.length <= 2 * minutes.size, JSON.stringify(ofStore));
  assert.ok(ofStore.some((line) => line['fault'] === `store_${fault}`));
  for (const line of told)
    assert.ok(!JSON.stringify(line).includes('StoreUnavailableError'), JSON.stringify(line));
  for (const { msg } of ofStore) assert.match(String(msg), /^The database does not serve, because .*: \d/);
}
