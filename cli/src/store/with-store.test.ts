import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import {
  createPostgresDatabase,
  withoutPostgres,
} from '../../../service/test/support/postgres/test-postgres.ts';
import { runHere } from '../../test/support/run-here.ts';
import { runMailproof } from '../../../service/test/support/mailproof.ts';

const folder = mkdtempSync(join(tmpdir(), 'mailproof-store-'));
after(() => rmSync(folder, { recursive: true }));

const sqlite = () => Promise.resolve({ MAILPROOF_DATA_DIR: mkdtempSync(join(folder, 'data-')) });

async function postgres(): Promise<Record<string, string>> {
  const { url } = await createPostgresDatabase('empty');
  return { ...(await sqlite()), MAILPROOF_DATABASE_URL: url };
}

const places = [
  ['SQLite', sqlite, false],
  ['PostgreSQL', postgres, withoutPostgres],
] as const;

/** Runs commands with settings that are there once the tests run. */
function runner(env: () => Record<string, string>) {
  const run = (args: string[]) => runHere(args, { env: env() });
  const json = async (args: string[]) => {
    const { code, stdout, stderr } = await run([...args, '--json']);
    assert.deepEqual([code, stderr], [0, ''], stderr);
    return JSON.parse(stdout) as Record<string, unknown>;
  };
  return { run, json };
}

for (const [name, place, skip] of places) {
  describe(`accounts, keys, credits and audit on ${name}`, { skip }, () => {
    const { run, json } = runner(() => env);
    let env: Record<string, string> = {};
    let account = '';
    before(async () => {
      env = await place();
      const created = await json(['accounts', 'create', '--name', 'Ada & co', '--credits', '100']);
      account = String(created['account_id']);
      assert.deepEqual(created, { account_id: account, name: 'Ada & co', plan: 'paid' });
    });

    test('accounts list gives an account a line', async () => {
      const other = await json(['accounts', 'create', '--name', 'other', '--plan', 'none']);
      const { stdout } = await run(['accounts', 'list', '--json']);
      const rows = stdout
        .trimEnd()
        .split('\n')
        .map((line) => JSON.parse(line) as object);
      assert.deepEqual(rows, [{ account_id: account, name: 'Ada & co', plan: 'paid' }, other]);
    });

    test('accounts plan switches the plan', async () => {
      for (const plan of ['none', 'paid']) {
        const expected = { account_id: account, name: 'Ada & co', plan };
        assert.deepEqual(await json(['accounts', 'plan', account, plan]), expected);
      }
    });

    test('accounts rate sets how many requests a minute an account may send', async () => {
      for (const [text, rate] of [
        ['600', 600],
        ['none', null],
      ] as const)
        assert.deepEqual(await json(['accounts', 'rate', account, text]), {
          account_id: account,
          requests_per_minute: rate,
        });
    });

    test('a key is shown when it is made and never again', async () => {
      const live = await json(['keys', 'create', account]);
      const trial = await json(['keys', 'create', account, '--test']);
      assert.deepEqual(Object.keys(live), ['key_id', 'api_key', 'account_id']);
      assert.match(String(live['api_key']), /^mp_live_/);
      assert.match(String(trial['api_key']), /^mp_test_/);
      assert.equal(live['account_id'], account);
      assert.deepEqual(await json(['keys', 'delete', String(trial['key_id'])]), {
        key_id: trial['key_id'],
        account_id: account,
      });
      const listed = await run(['keys', 'list', account, '--json']);
      const rows = listed.stdout
        .trimEnd()
        .split('\n')
        .map((line) => JSON.parse(line) as Record<string, unknown>);
      assert.deepEqual(
        rows.map((row) => [row['key_id'], row['mode'], row['deleted_at'] === null]),
        [
          [live['key_id'], 'live', true],
          [trial['key_id'], 'test', false],
        ],
      );
      assert.ok(!listed.stdout.includes(String(live['api_key']).slice(20)));
    });

    test('a key is limited when it is made and later, and the limits are listed', async () => {
      const options = ['--scopes', 'tasks,verify', '--expires', '2099-01-31', '--allow', '192.0.2.0/24,::1'];
      const made = await json(['keys', 'create', account, ...options, '--credits-per-day', '500']);
      const keyId = String(made['key_id']);
      const limits = async () => {
        const { stdout } = await run(['keys', 'list', account, '--json']);
        const rows = stdout.trimEnd().split('\n');
        const row = rows.map((line) => JSON.parse(line) as Record<string, unknown>);
        const found = row.find((one) => one['key_id'] === keyId);
        return ['scopes', 'expires_at', 'allowed_ips', 'credits_per_day'].map((name) => found?.[name]);
      };
      const expires = '2099-01-31T00:00:00.000Z';
      assert.deepEqual(await limits(), [['verify', 'tasks'], expires, ['192.0.2.0/24', '::1'], 500]);
      const change = ['keys', 'change', keyId, '--scopes', 'none', '--expires', 'none', '--allow', '::1'];
      assert.deepEqual(await json(change), { key_id: keyId, account_id: account });
      assert.deepEqual(await limits(), [null, null, ['::1'], 500]);
      await json(['keys', 'delete', keyId]);
    });

    test('without --json the key alone is on stdout, so that it can be piped', async () => {
      const { stdout, stderr } = await run(['keys', 'create', account]);
      assert.match(stdout, /^mp_live_\w+\n$/);
      assert.match(stderr, /will not be shown again/);
    });

    test('credits are granted and shown', async () => {
      const expected = { account_id: account, granted: 142, available: 142, reserved: 0, spent: 0 };
      assert.deepEqual(await json(['credits', 'grant', account, '42']), expected);
      assert.deepEqual(await json(['credits', 'show', account]), expected);
    });

    test('audit counts what it looked at and finds nothing wrong', async () => {
      assert.deepEqual(await json(['audit']), { accounts: 2, tasks: 0, violations: [] });
    });

    test('audit of one account says whether it is frozen, and since when it does not balance', async () => {
      assert.deepEqual(await json(['audit', '--account', account]), {
        accounts: 1,
        tasks: 0,
        violations: [],
        frozen_at: null,
        balanced: null,
      });
      const { stdout } = await run(['audit', '--account', account]);
      assert.match(stdout, /^not frozen\nthe service has never found it in balance\n1 account, 0 tasks: no/);
    });

    test('accounts unfreeze takes a reason, and leaves alone what is not frozen', async () => {
      const unfreeze = ['accounts', 'unfreeze', account, '--reason', 'looked at'];
      assert.deepEqual(await json(unfreeze), { account_id: account, was_frozen: false });
    });

    const mistakes: [string[], RegExp][] = [
      [['audit', '--account', 'nobody'], /No account "nobody"/],
      [['accounts', 'unfreeze', 'nobody', '--reason', 'x'], /No account "nobody"/],
      [['accounts', 'unfreeze', 'nobody'], /Missing --reason TEXT/],
      [['accounts', 'create'], /Missing --name NAME/],
      [['accounts', 'create', '--name', 'x', '--plan', 'gold'], /--plan must be paid or none/],
      [['accounts', 'create', '--name', 'x', '--credits', '-1'], /--credits (?:must be|N)/],
      [['accounts', 'plan', 'acct_none', 'paid'], /No account "acct_none"/],
      [['accounts', 'creat'], /Did you mean create\?/],
      [['accounts', 'rate', 'acct_none', '0'], /a number from 1 to 1000000, or none/],
      [['accounts', 'rate', 'acct_none', '5'], /No account "acct_none"/],
      [['keys', 'create', 'acct_none'], /No account "acct_none"/],
      [['keys', 'create', 'acct_none', '--scopes', 'root'], /SCOPE is one of verify,/],
      [['keys', 'change', 'none', '--credits-per-day', 'many'], /N is a number above 0/],
      [['keys', 'change', 'none'], /none takes a limit away/],
      [['keys', 'change', 'none', '--name', 'x'], /No such key/],
      [['keys', 'list', 'acct_none'], /No account "acct_none"/],
      [['keys', 'delete', 'mp_live_secret'], /No such key/],
      [['credits', 'grant', 'acct_none', '1'], /No account "acct_none"/],
      [['credits', 'grant', 'acct_none', '1.5'], /whole number from 1 to 1000000000000/],
      [['credits', 'show'], /Missing ACCOUNT \(usage: mailproof credits show ACCOUNT\)/],
    ];
    for (const [args, line] of mistakes) {
      test(`${args.join(' ')} ends with 2 and one line that helps`, async () => {
        const { code, stdout, stderr } = await run(args);
        assert.deepEqual([code, stdout], [2, '']);
        assert.match(stderr, line);
        assert.ok(!stderr.includes('secret'));
      });
    }
  });
}

test('a store that cannot be opened ends with 3 and one line that says what to do', async () => {
  const blocked = join(folder, 'file');
  writeFileSync(blocked, '');
  const { code, stderr } = await runMailproof(['audit'], {
    env: { MAILPROOF_DATA_DIR: join(blocked, 'data') },
  });
  assert.equal(code, 3);
  assert.match(stderr, /^mailproof: .*MAILPROOF_DATA_DIR.*\n$/);
});

test('a PostgreSQL database that is not there is told in one line, without its password', async () => {
  const { code, stderr } = await runHere(['audit'], {
    env: { MAILPROOF_DATABASE_URL: 'postgres://u:hunter2@127.0.0.1:1/x' },
  });
  assert.equal(code, 3);
  assert.match(
    stderr,
    /^mailproof: the database 127\.0\.0\.1:1\/x cannot be reached .*MAILPROOF_DATABASE_URL.*\n$/,
  );
  assert.doesNotMatch(stderr, /hunter2/);
});

test(
  'an installation moves from SQLite to PostgreSQL, once, and the commands go on there',
  { skip: withoutPostgres },
  async () => {
    const [here, there] = [await sqlite(), await postgres()];
    const old = runner(() => here);
    const young = runner(() => there);
    const created = await old.json(['accounts', 'create', '--name', 'Ada', '--credits', '100']);
    const account = String(created['account_id']);
    const from = `sqlite:${here.MAILPROOF_DATA_DIR}`;
    const to = there['MAILPROOF_DATABASE_URL'] ?? '';
    const { rows, ...copied } = await old.json(['copy', '--from', from, '--to', to]);
    assert.deepEqual(copied, { accounts: 1, tasks: 0, entries: 1, violations: [] });
    assert.ok(Number(rows) >= 3);
    const again = await old.run(['copy', '--from', from, '--to', to]);
    assert.deepEqual([again.code, again.stdout], [2, '']);
    assert.match(again.stderr, /not empty/);
    const expected = { account_id: account, granted: 142, available: 142, reserved: 0, spent: 0 };
    assert.deepEqual(await young.json(['credits', 'grant', account, '42']), expected);
    assert.deepEqual(await young.json(['audit']), { accounts: 1, tasks: 0, violations: [] });
  },
);

for (const [name, place, skip] of places) {
  test(`migrate says which schema the database has on ${name}`, { skip }, async () => {
    const env = await place();
    const { schema } = await runner(() => env).json(['migrate']);
    assert.ok(Number(schema) >= 5);
  });
}

test('copy wants to know both databases', async () => {
  for (const args of [[], ['--from', 'sqlite:x'], ['--from', 'mysql://u:secret@h/d', '--to', 'sqlite:x']]) {
    const { code, stderr } = await runHere(['copy', ...args], { env: {} });
    assert.equal(code, 2);
    assert.match(stderr, /--from and --to must be/);
    assert.doesNotMatch(stderr, /secret/);
  }
});
