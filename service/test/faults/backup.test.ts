/** Backups taken while a service works, and their restoration. */
import assert from 'node:assert/strict';
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, it } from 'node:test';
import type { WorldDescription } from '@mailproof/world';
import { createApiClient } from '../support/api-client.ts';
import { runCommand, runMailproof, type Row, type Settings } from '../support/mailproof.ts';
import { openFixture, queryDatabase, type Fixture } from '../support/open-fixture.ts';
import { createPostgresDatabase } from '../support/postgres/test-postgres.ts';
import { until } from '../support/until.ts';

const world: WorldDescription = {
  zones: { 'brisk.test': { mx: [[10, 'mx.brisk.test']] } },
  hosts: { 'mx.brisk.test': { temper: { catchAll: true } } },
};

const folder = mkdtempSync(join(tmpdir(), 'mailproof-backups-'));
after(() => rmSync(folder, { recursive: true, force: true }));

/** A charged request, and when its client had read the answer. */
type Charge = { requestId: string; at: number };

/** Starts eight clients that verify one address after another until they are stopped. */
function startLoad(url: string, key: string) {
  const client = createApiClient(url);
  const charges: Charge[] = [];
  let stopped = false;
  const clients = Array.from({ length: 8 }, async (_, number) => {
    for (let turn = 0; !stopped; turn += 1) {
      const answer = await client.verify(key, `a${number}-${turn}@brisk.test`);
      if (answer.creditsUsed === '1') charges.push({ requestId: answer.requestId, at: Date.now() });
    }
  });
  return {
    charges,
    stop: async () => {
      stopped = true;
      await Promise.all(clients);
      client.close();
    },
  };
}

/** The target of a restore. */
type Place = { env: Settings; close: () => Promise<void> };

function emptyDirectory({ env }: Fixture): Promise<Place> {
  const place = { ...env, MAILPROOF_DATA_DIR: mkdtempSync(join(folder, 'restored-')) };
  return Promise.resolve({ env: place, close: () => Promise.resolve() });
}

async function emptyDatabase({ env }: Fixture): Promise<Place> {
  const { url, giveBack } = await createPostgresDatabase('empty');
  return { env: { ...env, MAILPROOF_DATABASE_URL: url }, close: giveBack };
}

const cases = [
  { database: 'SQLite', openPlace: emptyDirectory },
  { database: 'PostgreSQL', openPlace: emptyDatabase },
] as const;

for (const { database, openPlace } of cases) {
  describe(`backup and restore on ${database}`, () => {
    it('under load: every charge acknowledged before its moment is restored, and the ledger balances', async () => {
      const fixture = await openFixture({ world, database });
      const { liveKey: key, accountId } = await fixture.openAccount({ credits: 1_000_000 });
      const service = await fixture.startHere();
      const load = startLoad(service.url, key);
      const place = await openPlace(fixture);
      const file = join(folder, `under-load-${database}`);
      try {
        await until(() => load.charges.length > 50);
        const made = await runCommand(['backup', file], fixture.env);
        const before = load.charges.length;
        await until(() => load.charges.length > before + 20);
        await load.stop();
        assert.equal(made['database'], database === 'SQLite' ? 'sqlite' : 'postgres');
        assert.equal(statSync(file).mode & 0o777, 0o600, 'for its owner alone');
        assert.ok(Number(made['file_bytes']) < Number(made['bytes']) / 2, 'packed');

        const verified = await runCommand(['backup', '--verify', file], fixture.env);
        assert.equal(verified['taken_at'], made['taken_at']);
        assert.deepEqual([verified['accounts'], verified['violations']], [1, []]);
        const restored = await runCommand(['restore', file], place.env);
        assert.deepEqual(restored['violations'], []);
        const audited = await runCommand(['audit'], place.env);
        assert.deepEqual(audited['violations'], []);

        const moment = Date.parse(String(made['taken_at']));
        const charged = await queryDatabase(place.env, `select hold_id from entry where kind = 'charge'`);
        const holds = new Set(charged.map((row) => row['hold_id']));
        const acknowledged = load.charges.filter(({ at }) => at < moment);
        assert.ok(acknowledged.length > 40, 'there were some');
        assert.deepEqual(
          acknowledged.filter(({ requestId }) => !holds.has(requestId)),
          [],
        );
        const balance = await runCommand(['credits', 'show', accountId], place.env);
        assert.ok(Number(balance['spent']) >= acknowledged.length);
        assert.equal(sumOfParts(balance), balance['granted']);
        assert.deepEqual(leftovers(), [`under-load-${database}`], 'nothing is left beside it');

        const again = await runMailproof(['restore', file], { env: place.env });
        assert.equal(again.code, 2);
        assert.match(again.stderr, /There is a database already/);
      } finally {
        await load.stop();
        await service.stop();
        await place.close();
        await fixture.close();
        rmSync(file, { force: true });
      }
    });
  });
}

describe('backup --verify on PostgreSQL', () => {
  it('audits the ledger in a database that is gone afterwards, and says so where it cannot', async (t) => {
    const fixture = await openFixture({ world, database: 'PostgreSQL' });
    const role = `mailproof_reader_${process.pid}`;
    t.after(async () => {
      await fixture.query(`drop role if exists ${role}`);
      await fixture.close();
    });
    const { accountId } = await fixture.openAccount({ credits: 10 });
    const sound = join(folder, 'sound');
    await runCommand(['backup', sound], fixture.env);
    const verify = (file: string, env: Settings) =>
      runMailproof(['backup', '--verify', file, '--json'], { env });

    // A change that bypasses the service: the account's own figures balance, its entries do not.
    await fixture.query('update account set granted = 20, available = 20 where id = $1', [accountId]);
    const unsound = join(folder, 'unsound');
    await runCommand(['backup', unsound], fixture.env);
    assert.equal((await verify(sound, fixture.env)).code, 0);
    const found = await verify(unsound, fixture.env);
    assert.equal(found.code, 1, found.stderr);
    const { violations } = JSON.parse(found.stdout) as { violations: unknown[] };
    assert.ok(violations.length > 0);

    await fixture.query(`create role ${role} login password 'x'`);
    const url = new URL(fixture.env['MAILPROOF_DATABASE_URL'] ?? '');
    [url.username, url.password] = [role, 'x'];
    const withoutServer = Object.fromEntries(
      Object.entries(fixture.env).filter(([name]) => name !== 'MAILPROOF_DATABASE_URL'),
    );
    const cases: [Settings, RegExp][] = [
      [{ ...fixture.env, MAILPROOF_DATABASE_URL: url.href }, /permission denied to create database/],
      [withoutServer, /MAILPROOF_DATABASE_URL names no server/],
    ];
    for (const [env, reason] of cases) {
      const { code, stdout, stderr } = await verify(sound, env);
      assert.equal(code, 3, stderr);
      assert.match(stderr, reason);
      assert.equal('violations' in (JSON.parse(stdout) as object), false);
    }
    const left = await fixture.query(`select 1 from pg_database where datname like 'mailproof\\_verify\\_%'`);
    assert.deepEqual(left, []);
    for (const file of [sound, unsound]) rmSync(file);
    assert.deepEqual(leftovers(), []);
  });
});

describe('the file of a backup', () => {
  it('is never overwritten, and one that was changed, cut short or is none is refused', async () => {
    const fixture = await openFixture({ world });
    await fixture.openAccount({ credits: 10 });
    const file = join(folder, 'a-backup');
    const run = async (...args: string[]) => {
      const { code, stderr } = await runMailproof(args, {
        env: { ...fixture.env, MAILPROOF_DATA_DIR: join(folder, 'elsewhere') },
      });
      return { code, stderr };
    };
    try {
      await runCommand(['backup', file], fixture.env);
      const whole = readFileSync(file);
      const again = await runMailproof(['backup', file], { env: fixture.env });
      assert.equal(again.code, 2);
      assert.match(again.stderr, /exists/);
      assert.deepEqual(readFileSync(file), whole);

      const broken: [string, Buffer, RegExp, number][] = [
        ['changed', changed(whole, whole.length - 30), /is damaged/, 1],
        ['cut', whole.subarray(0, whole.length - 100), /is damaged/, 1],
        ['longer', Buffer.concat([whole, whole.subarray(200)]), /is damaged/, 1],
        ['none', Buffer.from('a text\n'), /is not a backup/, 2],
        ['empty', Buffer.alloc(0), /is not a backup/, 2],
      ];
      for (const [name, bytes, line, status] of broken) {
        const path = join(folder, name);
        writeFileSync(path, bytes);
        for (const args of [
          ['restore', path],
          ['backup', '--verify', path],
        ]) {
          const { code, stderr } = await run(...args);
          assert.equal(code, status, `${args.join(' ')}: ${stderr}`);
          assert.match(stderr, line);
        }
        rmSync(path);
      }
      assert.equal((await run('restore', join(folder, 'not-there'))).code, 2);
      assert.equal((await run('backup', join(folder, 'of-nothing'))).code, 2, 'there is no database');
    } finally {
      await fixture.close();
      rmSync(file, { force: true });
    }
  });
});

function changed(bytes: Buffer, at: number): Buffer {
  const copy = Buffer.from(bytes);
  copy[at] = (copy[at] ?? 0) ^ 0xff;
  return copy;
}

function sumOfParts(balance: Row): number {
  return ['available', 'reserved', 'spent'].reduce((sum, part) => sum + Number(balance[part]), 0);
}

function leftovers(): string[] {
  return readdirSync(folder).filter((name) => !name.startsWith('restored-'));
}
