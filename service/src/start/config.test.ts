import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { after, test } from 'node:test';
import { parseCidr } from '@mailproof/engine';
import { describeSetting } from '../../test/support/setting-promises.ts';
import { featureNames } from '../core/config/feature-names.ts';
import { describeConfig, readConfig, type Config } from './config.ts';
import { identitySettings } from '../core/config/identity-settings.ts';
import { providerSettings } from '../core/config/provider-settings.ts';
import { reputationSettings } from '../core/config/reputation-settings.ts';
import { signInSettings } from '../features/people/sign-in-settings.ts';

const folder = mkdtempSync(join(tmpdir(), 'mailproof-config-'));
const file = join(folder, 'list.txt');
writeFileSync(file, 'example.com\n');
after(() => rmSync(folder, { recursive: true }));

const dayMs = 86_400_000;

type Row<Key extends keyof Config> = {
  key: Key;
  name: string;
  usual: Config[Key];
  good: readonly (readonly [text: string, value: Config[Key]])[];
  bad: readonly string[];
};

function row<Key extends keyof Config>(described: Row<Key>): Row<keyof Config> {
  return described;
}

const asTheyAre = (...texts: string[]) => texts.map((text) => [text, text] as const);
const cidrs = (...texts: string[]) => texts.map(parseCidr).filter((cidr) => cidr !== undefined);
const notNumbers = ['-1', '1.5', '1e3', '0x10', 'ten', '1 000', '99999999999999999999'];

const notDurations = [
  ...notNumbers,
  '10 s',
  '1.5h',
  '-5s',
  '10S',
  '15days',
  '1h30m',
  's',
  '999999999999999d',
];

const storage = (key: 'listStorageBytes' | 'listStorageFreeBytes', name: string, usual: number) =>
  row({ key, name, usual, good: [['100000', 100_000]], bad: [...notNumbers, '99999'] });

/** Of 32 characters, the shortest there may be. */
const longToken = 's3cret/+=-of-the-operator-012345';

const rows = [
  row({
    key: 'host',
    name: 'MAILPROOF_HOST',
    usual: '127.0.0.1',
    good: asTheyAre('0.0.0.0', '::', 'localhost'),
    bad: ['a b', '-x', 'http://x', '1.2.3.4:80'],
  }),
  row({
    key: 'port',
    name: 'MAILPROOF_PORT',
    usual: 8080,
    good: [
      ['0', 0],
      ['65535', 65_535],
      [' 80 ', 80],
    ],
    bad: [...notNumbers, '65536', 'tcp://10.0.0.1:8080'],
  }),
  row({
    key: 'basePath',
    name: 'MAILPROOF_BASE_PATH',
    usual: '',
    good: asTheyAre('/mailproof', '/tools/check-2.0_~'),
    bad: ['mailproof', '/', '/mailproof/', '//a', '/a//b', '/..', '/a/../b', '/a b', '/ä', '/a%20b', '/a?b'],
  }),
  row({
    key: 'databaseUrl',
    name: 'MAILPROOF_DATABASE_URL',
    usual: undefined,
    good: [
      ['postgres://u:p@db.example/x', 'postgres://u:p@db.example/x'],
      ['postgresql://db.example/x', 'postgresql://db.example/x'],
    ],
    bad: ['mysql://db.example/x', 'db.example', 'postgres:///x'],
  }),
  row({
    key: 'dataDir',
    name: 'MAILPROOF_DATA_DIR',
    usual: resolve(import.meta.dirname, '../../../data'),
    good: [
      ['/var/lib/mailproof', '/var/lib/mailproof'],
      ['here', resolve('here')],
    ],
    bad: ['a\0b'],
  }),
  row({
    key: 'dnsServers',
    name: 'MAILPROOF_DNS_SERVERS',
    usual: [],
    good: [
      ['192.0.2.1', [{ ip: '192.0.2.1', port: 53 }]],
      [
        '192.0.2.1:5353, [2001:db8::1]:54',
        [
          { ip: '192.0.2.1', port: 5353 },
          { ip: '2001:db8::1', port: 54 },
        ],
      ],
    ],
    bad: ['dns.example', '192.0.2.1:0', '192.0.2.1,,192.0.2.2', '192.0.2.1:99999'],
  }),
  row({
    key: 'resolverProbes',
    name: 'MAILPROOF_RESOLVER_PROBES',
    usual: ['gmail.com', 'outlook.com', 'icloud.com'],
    good: [
      ['none', []],
      ['example.com, Example.net', ['example.com', 'example.net']],
    ],
    bad: ['example', 'none,example.com', 'example.com,', '192.0.2.1'],
  }),
  row({
    key: 'smtpPort',
    name: 'MAILPROOF_SMTP_PORT',
    usual: 25,
    good: [['2525', 2525]],
    bad: [...notNumbers, '0', '65536'],
  }),
  ...(['egressAllow', 'webhookEgressAllow'] as const).map((key) =>
    row({
      key,
      name: key === 'egressAllow' ? 'MAILPROOF_EGRESS_ALLOW' : 'MAILPROOF_WEBHOOK_EGRESS_ALLOW',
      usual: [],
      good: [['10.0.0.0/8,::1/128', cidrs('10.0.0.0/8', '::1/128')]],
      bad: ['10.0.0.0/33', '10.1.2.3/8', 'intranet', '10.0.0.0/8;::1/128'],
    }),
  ),
  row({
    key: 'starttls',
    name: 'MAILPROOF_STARTTLS',
    usual: 'demanded',
    good: [['always', 'always']],
    bad: ['never', 'Always'],
  }),
  row({
    key: 'verificationsAtOnce',
    name: 'MAILPROOF_VERIFICATIONS_AT_ONCE',
    usual: 500,
    good: [
      ['1', 1],
      ['5000', 5_000],
    ],
    bad: ['0', '5001', 'many'],
  }),
  row({
    key: 'singleTimeoutMs',
    name: 'MAILPROOF_SINGLE_TIMEOUT_MS',
    usual: 30_000,
    good: [
      ['100', 100],
      ['100ms', 100],
      ['10s', 10_000],
      [' 10m ', 600_000],
    ],
    bad: [...notDurations, '99', '99ms', '600001', '11m', '1h'],
  }),
  row({
    key: 'taskDeadlineMs',
    name: 'MAILPROOF_TASK_DEADLINE_MS',
    usual: 1_800_000,
    good: [
      ['86400000', dayMs],
      ['30m', 1_800_000],
      ['24h', dayMs],
      ['1d', dayMs],
    ],
    bad: [...notDurations, '86400001', '2d', '0s'],
  }),
  row({
    key: 'deferRetryMs',
    name: 'MAILPROOF_DEFER_RETRY_MS',
    usual: 300_000,
    good: [['10', 10]],
    bad: [...notDurations, '9', '9ms'],
  }),
  row({
    key: 'taskRetentionMs',
    name: 'MAILPROOF_TASK_RETENTION_MS',
    usual: 15 * dayMs,
    good: [
      ['0', 0],
      ['0d', 0],
      ['15d', 15 * dayMs],
    ],
    bad: [...notDurations, String(30 * dayMs + 1), '31d'],
  }),
  row({
    key: 'listDeadlineMs',
    name: 'MAILPROOF_LIST_DEADLINE_MS',
    usual: dayMs,
    good: [['1000', 1_000]],
    bad: [...notDurations, '999', String(30 * dayMs + 1)],
  }),
  row({
    key: 'listMaxRows',
    name: 'MAILPROOF_LIST_MAX_ROWS',
    usual: 1_000_000,
    good: [['1', 1]],
    bad: [...notNumbers, '0', '10000001'],
  }),
  row({
    key: 'listMaxBytes',
    name: 'MAILPROOF_LIST_MAX_BYTES',
    usual: 200_000_000,
    good: [['1000', 1_000]],
    bad: [...notNumbers, '999', '2000000001'],
  }),
  storage('listStorageBytes', 'MAILPROOF_LIST_STORAGE_BYTES', 2_000_000_000),
  storage('listStorageFreeBytes', 'MAILPROOF_LIST_STORAGE_FREE_BYTES', 50_000_000),
  row({
    key: 'adminToken',
    name: 'MAILPROOF_ADMIN_TOKEN',
    usual: undefined,
    good: [[longToken, longToken]],
    bad: ['x', longToken.slice(0, 31), `${longToken} with space`, `${longToken}ümlaut`],
  }),
  row({
    key: 'trustedProxies',
    name: 'MAILPROOF_TRUSTED_PROXIES',
    usual: [],
    good: [['127.0.0.1,2001:db8::/32', cidrs('127.0.0.1', '2001:db8::/32')]],
    bad: ['10.0.0.1/8', 'localhost', '127.0.0.1,'],
  }),
  ...(
    [
      ['tlsCertFile', 'MAILPROOF_TLS_CERT_FILE'],
      ['tlsKeyFile', 'MAILPROOF_TLS_KEY_FILE'],
    ] as const
  ).map(([key, name]) =>
    row({ key, name, usual: undefined, good: [[file, file]], bad: [`${file}.missing`] }),
  ),
  row({
    key: 'metricsPort',
    name: 'MAILPROOF_METRICS_PORT',
    usual: undefined,
    good: [
      ['0', 0],
      ['9464', 9_464],
    ],
    bad: [...notNumbers, '65536'],
  }),
  row({
    key: 'metricsToken',
    name: 'MAILPROOF_METRICS_TOKEN',
    usual: undefined,
    good: [[longToken, longToken]],
    bad: ['x', longToken.slice(0, 31)],
  }),
  ...(
    [
      ['spamtrapsFile', 'MAILPROOF_SPAMTRAPS_FILE'],
      ['disposableFile', 'MAILPROOF_DISPOSABLE_FILE'],
      ['allowFile', 'MAILPROOF_ALLOW_FILE'],
      ['denyFile', 'MAILPROOF_DENY_FILE'],
    ] as const
  ).map(([key, name]) =>
    row({ key, name, usual: undefined, good: [[file, file]], bad: [`${file}.missing`] }),
  ),
  ...(['ratePerAccount', 'ratePerKey'] as const).map((key) =>
    row({
      key,
      name: key === 'ratePerKey' ? 'MAILPROOF_RATE_PER_KEY' : 'MAILPROOF_RATE_PER_ACCOUNT',
      usual: undefined,
      good: [['600', 600]],
      bad: [...notNumbers, '0', '1000001'],
    }),
  ),
  row({
    key: 'sandboxAddressesPerHour',
    name: 'MAILPROOF_SANDBOX_ADDRESSES_PER_HOUR',
    usual: 1_000_000,
    good: [['1', 1]],
    bad: ['0', 'many'],
  }),
  row({
    key: 'sandboxDelays',
    name: 'MAILPROOF_SANDBOX_DELAYS',
    usual: 'on',
    good: [['off', 'off']],
    bad: ['0'],
  }),
  row({
    key: 'firstKeys',
    name: 'MAILPROOF_FIRST_KEYS',
    usual: 'print',
    good: [['file', 'file']],
    bad: ['journal', 'off'],
  }),
  row({
    key: 'features',
    name: 'MAILPROOF_FEATURES',
    usual: [...featureNames],
    good: [['account,people', ['account', 'people']]],
    bad: ['everything', 'lists,none', 'Lists'],
  }),
  row({
    key: 'logLevel',
    name: 'MAILPROOF_LOG_LEVEL',
    usual: 'info',
    good: [
      ['silent', 'silent'],
      ['trace', 'trace'],
    ],
    bad: ['verbose'],
  }),
];

test('the rows above are all the settings there are, but for those of signing in and of providers', () => {
  const elsewhere = { ...signInSettings, ...providerSettings, ...identitySettings, ...reputationSettings };
  const others = Object.values(elsewhere).map(({ names }) => names[0]);
  const inTable = Object.keys(read({})).filter((key) => !(key in elsewhere));
  const keys = rows.map(({ key }) => key);
  assert.deepEqual(keys.toSorted(), inTable.toSorted());
  const names = describeConfig({}).flatMap(({ name }) => (others.includes(name) ? [] : [name]));
  assert.deepEqual(['MAILPROOF_CONFIG', ...rows.map(({ name }) => name)].toSorted(), names.toSorted());
});

for (const { key, name, ...described } of rows) describeSetting(key, name, described);

test('PORT serves where MAILPROOF_PORT is not set, and is named when it is bad', () => {
  assert.equal(read({ PORT: '3000' }).port, 3000);
  assert.equal(read({ PORT: '3000', MAILPROOF_PORT: '4000' }).port, 4000);
  assert.match(lineOf({ PORT: 'x' }), /^PORT is "x"/);
});

test('the sender is by default at the name we introduce ourselves by', () => {
  assert.equal(read({ MAILPROOF_HELO_NAME: 'probe.example.com' }).mailFrom, 'verify@probe.example.com');
});

test('neither a refusal nor a description shows a password or a token', () => {
  const env = {
    MAILPROOF_DATABASE_URL: 'postgres://u:hunter2@db.example/x?sslpassword=hunter2',
    MAILPROOF_ADMIN_TOKEN: 'hunter2'.repeat(5),
    MAILPROOF_OIDC_CLIENT_SECRET: 'hunter2',
  };
  assert.ok(!JSON.stringify(describeConfig(env)).includes('hunter2'));
  assert.match(JSON.stringify(describeConfig(env)), /postgres:\/\/u:\*\*\*@db\.example\/x/);
  assert.ok(!lineOf({ MAILPROOF_DATABASE_URL: 'mysql://u:hunter2@db.example/x' }).includes('hunter2'));
  assert.ok(!lineOf({ MAILPROOF_ADMIN_TOKEN: 'hunter2 hunter2' }).includes('hunter2'));
});

test('a description tells the value in force beside the default', () => {
  const described = describeConfig({ MAILPROOF_PORT: '9000', MAILPROOF_DNS_SERVERS: '192.0.2.1' });
  const byName = new Map(described.map((setting) => [setting.name, setting]));
  assert.deepEqual(byName.get('MAILPROOF_PORT'), {
    name: 'MAILPROOF_PORT',
    value: '9000',
    default: '8080',
    meaning: byName.get('MAILPROOF_PORT')?.meaning,
  });
  assert.equal(byName.get('MAILPROOF_DNS_SERVERS')?.value, '192.0.2.1');
  assert.equal(byName.get('MAILPROOF_DATABASE_URL')?.value, null);
  assert.ok(described.every(({ meaning }) => meaning.length > 10));
});

test('a variable of ours that is no setting is told, with the name that was meant', () => {
  const found = readConfig({ MAILPROOF_DNS_SERVER: '192.0.2.1', MAILPROOF_QQQ: '1', OTHER: '1' });
  assert.equal(found.kind, 'ok');
  assert.deepEqual(found.warnings, [
    'MAILPROOF_DNS_SERVER is not a setting and does nothing; did you mean MAILPROOF_DNS_SERVERS?',
    'MAILPROOF_QQQ is not a setting and does nothing',
  ]);
});

function read(env: Record<string, string>): Config {
  const found = readConfig(env);
  assert.equal(found.kind, 'ok', found.kind === 'bad' ? found.problem : '');
  return found.config;
}

function lineOf(env: Record<string, string>): string {
  const found = readConfig(env);
  assert.equal(found.kind, 'bad');
  return found.problem;
}

/** A name with a dot stands as it is; a single label, the usual name of a container, gets one. */

test('the refusal of a duration says its bounds and its units', () => {
  const refused = readConfig({ MAILPROOF_TASK_RETENTION_MS: '31d' });
  assert.deepEqual(refused, {
    kind: 'bad',
    problem:
      'MAILPROOF_TASK_RETENTION_MS is "31d"; it may be a duration from 0 to 30d (units ms, s, m, h, d, as in 10s or 30m; a number alone is milliseconds)',
  });
});
