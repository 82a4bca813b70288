import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { readConfig } from '@mailproof/service/config';
import { startWorld, type World } from '@mailproof/world';
import { runHere } from '../../test/support/run-here.ts';

const folder = mkdtempSync(join(tmpdir(), 'mailproof-setup-'));
let world: World;
let count = 0;

before(async () => {
  world = await startWorld({
    zones: {
      'probe.test': { a: ['127.0.0.1'], mx: [[10, 'mx.probe.test']], txt: ['v=spf1 ip4:127.0.0.1 -all'] },
      '1.0.0.127.in-addr.arpa': { ptr: ['probe.test'] },
    },
    hosts: { 'mx.probe.test': { mailboxes: { verify: 'exists' } } },
  });
});
after(async () => {
  await world.stop();
  rmSync(folder, { recursive: true });
});

/** Answers are lines, as a person types them. The settings that lead to the simulated internet are set beforehand. */
async function setUp(
  answers: string[],
  { text, env = {} }: { text?: string; env?: Record<string, string> } = {},
) {
  count += 1;
  const file = join(folder, `settings-${count}.conf`);
  if (text !== undefined) writeFileSync(file, text);
  const input = answers.map((answer) => `${answer}\n`).join('');
  const ended = await runHere(['setup', '--file', file], {
    env: { ...world.environment, MAILPROOF_PUBLIC_ADDRESS: '127.0.0.1', ...env },
    input,
  });
  return { ...ended, file };
}

const servers = () => world.environment['MAILPROOF_DNS_SERVERS'] ?? '';
const good = () => [
  ...[servers(), 'probe.test', 'verify@probe.test', join(folder, 'data')],
  ...['sqlite', 'new', 'all', 'no'],
];

describe('setup', () => {
  test('writes what was answered into a file for its owner alone, which the service reads', async () => {
    const { code, stdout, file } = await setUp(good());
    assert.equal(code, 0);
    assert.equal(
      stdout,
      `The settings are in ${file}. To start: MAILPROOF_CONFIG=${file} ./mailproof serve\n`,
    );
    assert.equal(statSync(file).mode & 0o777, 0o600);
    const read = readConfig({ MAILPROOF_CONFIG: file });
    assert.ok(read.kind === 'ok');
    const { heloName, mailFrom, dataDir, databaseUrl, adminToken = '' } = read.config;
    assert.deepEqual(
      [heloName, mailFrom, dataDir],
      ['probe.test', 'verify@probe.test', join(folder, 'data')],
    );
    assert.equal(databaseUrl, undefined);
    assert.match(adminToken, /^[0-9a-f]{64}$/);
  });

  test('checks each answer as the doctor does, before the next question', async () => {
    const { stderr } = await setUp(good());
    const asked = ['Recursive resolver', 'ok .*resolver', '\\(HELO\\)', 'ok .*HELO name', 'Sender address'];
    const checked = [
      'ok .*sender domain',
      'ok .*SPF',
      'ok .*outbound port',
      'ok .*data directory',
      'ok .*database',
    ];
    assert.match(stderr, new RegExp([...asked, ...checked].join('[\\s\\S]*')));
  });

  test('an answer that cannot be read is asked for again, with what it may be', async () => {
    const [dns = '', ...rest] = good();
    const { code, stderr, file } = await setUp([dns, 'nonsense name', ...rest]);
    assert.equal(code, 0);
    assert.match(stderr, /MAILPROOF_HELO_NAME is "nonsense name"; it may be a full host name/);
    assert.match(readFileSync(file, 'utf8'), /^MAILPROOF_HELO_NAME=probe\.test$/m);
  });

  test('asks whether the address is new, and then begins slowly', async () => {
    const isNew = await setUp([...good().slice(0, -1), 'yes']);
    assert.match(isNew.stderr, /ok .*IP profile: new: 5 new connections\/s[\s\S]*500 a day at first/);
    assert.match(readFileSync(isNew.file, 'utf8'), /^MAILPROOF_IP_PROFILE=new$/m);
    const known = await setUp(good());
    assert.match(known.stderr, /ok .*IP profile: established: 50 new connections\/s/);
    assert.match(readFileSync(known.file, 'utf8'), /^MAILPROOF_IP_PROFILE=established$/m);
    const unread = await setUp([...good().slice(0, -1), 'perhaps', 'private']);
    assert.match(unread.stderr, /MAILPROOF_IP_PROFILE is "perhaps"; it may be/);
    assert.match(readFileSync(unread.file, 'utf8'), /^MAILPROOF_IP_PROFILE=private$/m);
  });

  test('what the doctor finds wrong is kept only where that is wished', async () => {
    const [dns = '', , ...rest] = good();
    const refused = await setUp([dns, 'nowhere.test', 'n', 'probe.test', ...rest]);
    assert.match(refused.stderr, /problem .*nowhere\.test[\s\S]*Keep it all the same\?/);
    assert.match(readFileSync(refused.file, 'utf8'), /^MAILPROOF_HELO_NAME=probe\.test$/m);
    const kept = await setUp([dns, 'nowhere.test', 'y', ...rest]);
    assert.match(readFileSync(kept.file, 'utf8'), /^MAILPROOF_HELO_NAME=nowhere\.test$/m);
  });

  test('a database that cannot be reached is told, without its password', async () => {
    const url = 'postgres://mailproof:hunter2@127.0.0.1:1/mailproof';
    const answers = [...good().slice(0, 4), url, 'n', 'sqlite', 'none', 'all', ''];
    const { code, stderr, file } = await setUp(answers);
    assert.equal(code, 0);
    assert.match(stderr, /problem .*database: .*cannot be reached/);
    assert.doesNotMatch(stderr, /hunter2/);
    assert.doesNotMatch(readFileSync(file, 'utf8'), /DATABASE_URL|ADMIN_TOKEN/);
  });

  test('an empty answer keeps what is set, and lines that were not asked for stay', async () => {
    const token = 't'.repeat(40);
    const text = `# ours\nMAILPROOF_LOG_LEVEL=warn\nMAILPROOF_HELO_NAME="probe.test"\nMAILPROOF_ADMIN_TOKEN=${token}\n`;
    const answers = [servers(), '', 'verify@probe.test', join(folder, 'data'), '', '', '', ''];
    const { code, stderr, file } = await setUp(answers, { text });
    assert.equal(code, 0);
    const written = readFileSync(file, 'utf8');
    assert.match(written, /^# ours\nMAILPROOF_LOG_LEVEL=warn\n/);
    assert.match(written, /^MAILPROOF_HELO_NAME=probe\.test$/m);
    assert.match(written, new RegExp(`^MAILPROOF_ADMIN_TOKEN=${token}$`, 'm'));
    assert.equal(statSync(file).mode & 0o777, 0o600);
    assert.ok(!stderr.includes(token));
  });

  test('asks whether providers are asked whose policy forbids it: all by default, with the advice that goes with it', async () => {
    const answers = good().slice(0, -2);
    const all = await setUp([...answers, '', '']);
    assert.match(all.stderr, /policy forbids verification without sending \(outlook;[^\n]*\n\[all\]/);
    assert.match(all.stderr, /warning .*providers: all are asked, outlook too[\s\S]*never send mail/);
    assert.doesNotMatch(readFileSync(all.file, 'utf8'), /ASK_PROVIDERS/);
    const permitted = await setUp([...answers, 'nobody', 'permitted', 'no']);
    assert.match(permitted.stderr, /MAILPROOF_ASK_PROVIDERS is "nobody"; it may be all, permitted/);
    assert.match(readFileSync(permitted.file, 'utf8'), /^MAILPROOF_ASK_PROVIDERS=permitted$/m);
    const read = readConfig({ MAILPROOF_CONFIG: permitted.file });
    assert.ok(read.kind === 'ok');
    assert.deepEqual(read.config.providersLeftOut, ['outlook']);
  });

  test('an input that ends too soon, or never makes sense, writes nothing', async () => {
    for (const answers of [good().slice(0, 3), Array.from({ length: 30 }, () => 'what?')]) {
      const { code, stderr, file } = await setUp(answers);
      assert.equal(code, 1);
      assert.match(stderr, /Nothing was written\.\n$/);
      assert.throws(() => statSync(file));
    }
  });

  test('a setting of the environment that cannot be read is named', async () => {
    const { code, stderr } = await setUp(good(), { env: { MAILPROOF_PORT: 'x' } });
    assert.equal(code, 3);
    assert.match(stderr, /^mailproof: MAILPROOF_PORT is "x"/m);
  });
});
