/** Every alert rule, fired by a Prometheus that scrapes a service under the fault that the rule is for. */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { tempers, type WorldDescription } from '@mailproof/world';
import { readBoardQueries, readOpsFile } from '../../../../scripts/ops-files.ts';
import type { Service, StartParts } from '../../../src/main.ts';
import { createApiClient, type ApiClient } from '../../support/api-client.ts';
import { openFixture, type Fixture, type FixtureOptions } from '../../support/open-fixture.ts';
import { openProberFixture } from '../../support/open-prober-fixture.ts';
import { until } from '../../support/until.ts';
import { startPrometheus, type Prometheus } from './start-prometheus.ts';

const hangsUp = { temper: { fault: { phase: 'banner', fault: 'fin' } } } as const;

const blockList = 'zen.spamhaus.org';
const publicAddress = '192.0.2.25';

/** A slow host rests after a while, so each address has its own host. */
const tarpits = Array.from({ length: 40 }, (_, n) => `tarpit${n + 1}.test`);

const world: WorldDescription = {
  zones: {
    ...Object.fromEntries(tarpits.map((domain) => [domain, { mx: [[10, `mx.${domain}`]] }])),
    'brisk.test': { mx: [[10, 'mx.brisk.test']] },
    'blocks.test': { mx: [[10, 'mx.blocks.test']] },
    'gmail-like.test': { mx: [[10, 'mx-of-world.google.com']] },
    'consults.test': { mx: [[10, 'mx.consults.test']] },
    'consults-too.test': { mx: [[10, 'mx.consults-too.test']] },
    'bans.test': { mx: [[10, 'mx-of-world.olc.protection.outlook.com']] },
  },
  hosts: {
    'mx.brisk.test': { mailboxes: { ann: 'exists' }, temper: { catchAll: true } },
    ...Object.fromEntries(
      tarpits.map((domain) => [`mx.${domain}`, { temper: { catchAll: true, replyDelayMs: 8_000 } }]),
    ),
    'mx.blocks.test': { temper: tempers.blockedAtRcpt },
    'mx-of-world.google.com': { temper: { fault: { phase: 'banner', fault: 'reply_421' } } },
    'canary-one.test': hangsUp,
    'canary-two.test': hangsUp,
    'mx.consults.test': { temper: tempers.consultsBlockList, address: '127.31.1.1' },
    'mx.consults-too.test': { temper: tempers.consultsBlockList, address: '127.31.2.1' },
    'mx-of-world.olc.protection.outlook.com': { temper: tempers.bansAddress },
  },
  blockLists: { [blockList]: [], 'bans.test': [] },
  seenAs: { '127.0.0.1': publicAddress },
};

type Faulty = { fixture: Fixture; service: Service; client: ApiClient; key: string; prometheus: Prometheus };

const fired = new Set<string>();

type Circumstances = Partial<FixtureOptions> & { role?: StartParts['role']; hasPatience?: boolean };

/**
 * Tests that an alert fires. The circumstances cause the fault, or `breakIt` does, after everything was seen in
 * order.
 */
function fires(alert: string, circumstances: Circumstances, breakIt?: (faulty: Faulty) => Promise<unknown>) {
  test(`${alert} fires`, async () => {
    const { role = 'all', settings = {}, hasPatience = true, ...rest } = circumstances;
    const fixture = await openFixture({
      world,
      ...rest,
      settings: { MAILPROOF_METRICS_PORT: '0', MAILPROOF_RESOLVER_PROBES: 'brisk.test', ...settings },
    });
    const { liveKey: key } = await fixture.openAccount({ credits: 10_000 });
    const service = await fixture.startHere({ role });
    const client = createApiClient(service.url);
    const target = new URL(service.metricsUrl ?? '').host;
    const prometheus = await startPrometheus([target], { hasPatience });
    try {
      if (breakIt !== undefined) {
        await prometheus.looked();
        const other = (name: string) => !(role === 'api' && name === 'MailproofNoWorker');
        assert.deepEqual((await prometheus.firing()).filter(other), [], 'all is well at first');
        await breakIt({ fixture, service, client, key, prometheus });
      }
      await until(prometheus.firing, (names) => names.includes(alert));
      fired.add(alert);
    } finally {
      client.close();
      await prometheus.stop();
      await service.stop();
      await fixture.close();
    }
  });
}

fires('MailproofDown', {}, ({ service }) => service.stop());

fires('MailproofStoreUnavailable', {}, ({ fixture, prometheus }) =>
  withDatabase(fixture, async (database) => {
    database.exec('begin immediate');
    await until(prometheus.firing, (names) => names.includes('MailproofStoreUnavailable'));
  }),
);

fires('MailproofNoWorker', { role: 'api' });

fires('MailproofBooksFrozen', {}, ({ fixture }) =>
  withDatabase(fixture, (database) => {
    database.exec('update account set frozen_at = 1');
    return Promise.resolve();
  }),
);

const policyFolder = mkdtempSync(join(tmpdir(), 'mailproof-policies-'));
const policies = join(policyFolder, 'providers.json');
writeFileSync(policies, JSON.stringify({ canaries: ['canary-one.test', 'canary-two.test'] }));

fires('MailproofMailPortBlocked', { settings: { MAILPROOF_PROVIDERS_FILE: policies } });

fires('MailproofResolverDenies', { denyAllNames: true });

// With no block opened, mail hosts are public ones, and the HELO name does not resolve.
fires('MailproofIdentityUnproven', {
  settings: {
    MAILPROOF_EGRESS_ALLOW: '',
    MAILPROOF_IDENTITY_CHECK: 'on',
    MAILPROOF_HELO_NAME: 'nobody.test',
  },
});

fires('MailproofProviderResting', { settings: { MAILPROOF_PACING: 'on' } }, ({ client, key }) =>
  client.verify(key, 'ann@gmail-like.test'),
);

const looksItselfUp = {
  settings: {
    MAILPROOF_PACING: 'on',
    MAILPROOF_BLOCK_LISTS: blockList,
    MAILPROOF_PROVIDERS_FILE: statePublicAddress(),
  },
};

fires('MailproofAddressListed', looksItselfUp, async ({ fixture, client, key }) => {
  fixture.world.blockLists.add(blockList, publicAddress);
  await client.verify(key, 'ann@consults.test');
  await client.verify(key, 'ann@consults-too.test');
});

fires('MailproofProviderBans', looksItselfUp, async ({ fixture, client, key }) => {
  fixture.world.blockLists.add('bans.test', publicAddress);
  await client.verify(key, 'ann@bans.test');
});

/** Writes a providers file whose one route states its public address. */
function statePublicAddress(): string {
  const file = join(mkdtempSync(join(tmpdir(), 'mailproof-providers-')), 'providers.json');
  const route = { id: 'default', kind: 'direct', publicAddresses: [publicAddress] };
  writeFileSync(file, JSON.stringify({ routes: [route] }));
  return file;
}

fires('MailproofUnknownRateDoubled', {}, async ({ client, key, prometheus }) => {
  const addresses = (domain: string) => Array.from({ length: 100 }, (_, number) => `a${number}@${domain}`);
  const verifyAll = async (domain: string) =>
    client.results(key, await client.createdTask(key, addresses(domain)));
  const seen = (status: string, least: number) =>
    until(
      async () =>
        (await prometheus.query(`mailproof_verifications_total{status="${status}"} offset 20s >= ${least}`)) >
        0,
    );
  // A counter that Prometheus has never seen does not grow when it appears.
  await client.verify(key, 'ann@blocks.test');
  await client.verify(key, 'ann@brisk.test');
  await seen('unknown', 1);
  await verifyAll('brisk.test');
  await seen('catch_all', 100);
  await verifyAll('blocks.test');
  await verifyAll('blocks.test');
});

fires('MailproofTasksLate', { role: 'api' }, async ({ fixture, client, key }) => {
  await client.createdTask(key, ['ann@brisk.test']);
  await withDatabase(fixture, (database) => {
    database.exec('update task set created_at = created_at - 600000');
    return Promise.resolve();
  });
});

fires('MailproofErrors', {}, ({ fixture, client, key, prometheus }) =>
  withDatabase(fixture, async (database) => {
    const ask = () =>
      client.ask(
        { path: '/api/v1/email-verification', key, body: { email: 'ann@brisk.test' } },
        { insist: false },
      );
    database.exec('begin immediate');
    await until(async () => {
      await Promise.all(Array.from({ length: 20 }, ask));
      return (await prometheus.firing()).includes('MailproofErrors');
    });
  }),
);

fires('MailproofSlow', {}, async ({ client, key, prometheus }) => {
  // One per second: rates need answers that come one after another.
  const asking = tarpits.map(async (domain, n) => {
    await sleep(1_000 * n);
    return client.verify(key, `ann@${domain}`);
  });
  await until(prometheus.firing, (names) => names.includes('MailproofSlow'));
  await Promise.all(asking);
});

fires('MailproofBackupOld', { hasPatience: false });

test('MailproofNoProber fires', async () => {
  const settings = { MAILPROOF_METRICS_PORT: '0', MAILPROOF_RESOLVER_PROBES: 'none' };
  const fixture = await openProberFixture({ world, database: 'SQLite', settings, absentProber: true });
  const prometheus = await startPrometheus([new URL(fixture.metricsUrl).host]);
  try {
    await until(prometheus.firing, (names) => names.includes('MailproofNoProber'));
    await fixture.startProber('lisbon');
    await fixture.untilWell('lisbon');
    await until(prometheus.firing, (names) => !names.includes('MailproofNoProber'));
    fired.add('MailproofNoProber');
  } finally {
    await prometheus.stop();
    await fixture.close();
  }
});

test('MailproofProberGone fires', async () => {
  const settings = { MAILPROOF_METRICS_PORT: '0', MAILPROOF_RESOLVER_PROBES: 'none' };
  const fixture = await openProberFixture({ world, database: 'SQLite', settings });
  const prometheus = await startPrometheus([new URL(fixture.metricsUrl).host]);
  try {
    const prober = await fixture.startProber('lisbon');
    await fixture.untilWell('lisbon');
    await until(
      () => prometheus.query('mailproof_prober_well{prober="lisbon"} == 1'),
      (series) => series === 1,
    );
    await until(prometheus.firing, (names) => !names.includes('MailproofProberGone'));
    await prober.stop();
    await until(prometheus.firing, (names) => names.includes('MailproofProberGone'));
    fired.add('MailproofProberGone');
  } finally {
    await prometheus.stop();
    await fixture.close();
  }
});

test('MailproofDiskFilling fires', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'mailproof-small-disk-'));
  execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=64m', 'tmpfs', folder]);
  const fixture = await openFixture({
    world,
    settings: { MAILPROOF_METRICS_PORT: '0', MAILPROOF_DATA_DIR: folder, MAILPROOF_RESOLVER_PROBES: 'none' },
  });
  const service = await fixture.startHere();
  const prometheus = await startPrometheus([new URL(service.metricsUrl ?? '').host]);
  try {
    await prometheus.looked();
    assert.deepEqual(await prometheus.firing(), []);
    writeFileSync(join(folder, 'filler'), Buffer.alloc(60 * 1_024 * 1_024));
    await until(prometheus.firing, (names) => names.includes('MailproofDiskFilling'));
    fired.add('MailproofDiskFilling');
    for (const query of readBoardQueries()) await prometheus.query(query);
    assert.ok((await prometheus.query('mailproof_credits{job="mailproof"}')) === 4, 'the board is answered');
  } finally {
    await prometheus.stop();
    await service.stop();
    await fixture.close();
    execFileSync('umount', [folder]);
    rmSync(folder, { recursive: true });
  }
});

test('no alert is left that was never fired', () => {
  rmSync(policyFolder, { recursive: true });
  const names = [...readOpsFile('prometheus/alerts.yml').matchAll(/- alert: (\w+)/g)].map(([, name]) => name);
  assert.deepEqual([...fired].sort(), names.sort());
});

async function withDatabase(
  { dataDir }: Fixture,
  work: (database: DatabaseSync) => Promise<unknown>,
): Promise<void> {
  const database = new DatabaseSync(join(dataDir, 'mailproof.db'), { timeout: 60_000 });
  try {
    await work(database);
  } finally {
    database.close();
  }
}
