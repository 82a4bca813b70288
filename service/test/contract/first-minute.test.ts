/** The first minute of a new user: `npm start`, the printed curl, the pages, and the usual mistakes. */
import assert from 'node:assert/strict';
import { chmodSync, cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { singlePath } from '../support/api-client.ts';
import {
  root,
  runCommand,
  startMailproof,
  startProgram,
  type Settings,
  type Started,
} from '../support/mailproof.ts';
import { until } from '../support/until.ts';
import { createCheckedClient, type CheckedClient } from './client.ts';
import { isObject } from './openapi-check.ts';

const folder = mkdtempSync(join(tmpdir(), 'mailproof-first-minute-'));
/** No DNS server answers, as on a machine whose resolver is down. */
const settings: Settings = {
  MAILPROOF_DATA_DIR: join(folder, 'data'),
  MAILPROOF_PORT: '0',
  MAILPROOF_DNS_SERVERS: '127.0.0.1:9',
  MAILPROOF_HELO_NAME: 'probe.test',
};
let npmStart: Started;
let url = '';
let client: CheckedClient;
before(async () => {
  npmStart = startProgram('npm', ['start'], { env: settings });
  [, url = ''] = await npmStart.wrote(/"url":"([^"]+)","msg":"listening"/);
  client = await createCheckedClient(url);
});
after(async () => {
  npmStart.child.kill('SIGTERM');
  await npmStart.ended;
  rmSync(folder, { recursive: true });
});

test('npm start prints account, credits and both keys, and the curl it prints works as it is', async () => {
  const printed = npmStart.stdout();
  assert.match(printed, /account +acct_\w+, with a paid plan and 1,000 credits/);
  assert.match(printed, /live key +mp_live_\w+\n +test key +mp_test_\w+\n/);
  const command = /^ {2}curl (?:.+\\\n)*.+$/m.exec(printed)?.[0] ?? '';
  const { code, stdout } = await until(
    () => startProgram('sh', ['-c', `${command} --silent`]).ended,
    // A busy machine may refuse it.
    (ended) => !ended.stdout.includes('service_unavailable'),
  );
  assert.equal(code, 0);
  const { email, status } = JSON.parse(stdout) as Record<string, unknown>;
  assert.deepEqual([email, status], ['safe@example.com', 'safe']);
});

test('the live key is answered too: 502 where the resolver is down, and nothing charged', async () => {
  const key = /mp_live_\w+/.exec(npmStart.stdout())?.[0] ?? '';
  const { status, body } = await client.verify(key, 'alive@plain.test');
  assert.deepEqual([status, body['reason']], [502, 'verification_unavailable']);
  const [accountId = ''] = /acct_\w+/.exec(npmStart.stdout()) ?? [];
  const { granted, available } = await runCommand(['credits', 'show', accountId], settings);
  assert.deepEqual([granted, available], [1000, 1000]);
});

describe('the pages', () => {
  const get = (path: string) => client.ask({ method: 'GET', path });

  test('/healthz and /readyz answer without a key', async () => {
    assert.deepEqual((await get('/healthz')).body, { status: 'ok' });
    assert.equal((await get('/readyz')).body['status'], 'ready');
  });

  test('/openapi.json is OpenAPI 3.1, with an example for every request and answer', async () => {
    const { status, body } = await get('/openapi.json');
    assert.deepEqual([status, body['openapi']], [200, '3.1.0']);
    assert.ok(isObject(body['paths']));
    const paths = [
      '/api/v1/email-verification',
      '/api/v1/bulk-email-verification',
      '/api/v1/bulk-email-verification/{taskId}',
    ];
    for (const path of paths) {
      const [operation] = Object.values(
        body['paths'][path] as Record<string, { responses: Record<string, { content: object }> }>,
      );
      for (const [code, { content }] of Object.entries(operation?.responses ?? {}))
        assert.match(JSON.stringify(content), /"examples?":/, `${path} ${code}`);
    }
  });

  test('/docs is a page that loads nothing from elsewhere', async () => {
    const redirect = await get('/docs');
    const page = redirect.status === 200 ? redirect : await get('/docs/');
    assert.equal(page.status, 200);
    assert.match(String(page.headers['content-type']), /^text\/html/);
    assert.doesNotMatch(page.text, /(?:https?:)?\/\/[a-z0-9.-]+\.[a-z]{2,}/i);
    const policy = String(page.headers['content-security-policy']);
    assert.match(policy, /default-src 'none'/);
    assert.doesNotMatch(policy, /https?:|\*/);
    for (const [, source = ''] of page.text.matchAll(/(?:src|href)="([^"]+)"/g)) {
      const { status } = await get(new URL(source, `${url}/docs/`).pathname);
      assert.equal(status, 200, source);
    }
  });
});

describe('mistakes with a request: the log says what the answer may not', () => {
  const mistakes: [string, Parameters<CheckedClient['ask']>[0], RegExp][] = [
    ['no key', { body: { email: 'safe@example.com' } }, /"status":401,.*"fault":"no_key"/],
    [
      'a wrong key',
      { key: 'mp_live_x', body: { email: 'safe@example.com' } },
      /"status":401,.*"fault":"key_not_known"/,
    ],
  ];
  for (const [what, given, line] of mistakes) {
    test(what, async () => {
      await client.ask(given);
      await until(npmStart.stdout, (said) => line.test(said));
    });
  }
  test('curl -d without a content type', async () => {
    const key = /mp_test_\w+/.exec(npmStart.stdout())?.[0] ?? '';
    const args = [
      '-s',
      `${url}${singlePath}`,
      '-H',
      `Authorization: Bearer ${key}`,
      '-d',
      '{"email":"safe@example.com"}',
    ];
    const { stdout } = await startProgram('curl', args).ended;
    assert.equal(stdout, '{"status":"error","reason":"invalid_email"}');
    await until(npmStart.stdout, (said) => /"status":400,.*"fault":"content_type"/.test(said));
  });
});

describe('mistakes at the start: one line that helps, and the end', () => {
  async function expectLine(given: Settings, line: RegExp): Promise<void> {
    const env = { ...settings, MAILPROOF_DATA_DIR: join(folder, 'other'), ...given };
    const running = startMailproof(['serve'], { through: 'script', env });
    void running.wrote(/"listening"/).then(
      () => running.child.kill(),
      () => undefined,
    );
    const { code, stdout, stderr } = await running.ended;
    assert.deepEqual([code, stdout], [3, ''], stderr);
    assert.match(stderr, line);
    assert.equal(stderr.trimEnd().split('\n').length, 1, stderr);
  }

  test('the port is taken', async () => {
    const squatter = createServer().listen(0, '127.0.0.1');
    await new Promise((resolve) => squatter.once('listening', resolve));
    const { port } = squatter.address() as AddressInfo;
    const line = /^mailproof: port \d+ .* is taken: .*MAILPROOF_PORT/;
    await expectLine({ MAILPROOF_PORT: String(port) }, line).finally(() => squatter.close());
  });

  const bad: [Settings, RegExp][] = [
    [{ MAILPROOF_PORT: 'http' }, /MAILPROOF_PORT .*0 to 65535/],
    [{ MAILPROOF_PACING: 'maybe' }, /MAILPROOF_PACING .*on.*off/],
    [{ MAILPROOF_EGRESS_ALLOW: '10.0.0.0/33' }, /MAILPROOF_EGRESS_ALLOW/],
    [{ MAILPROOF_SPAMTRAPS_FILE: '/nowhere/traps' }, /(?:MAILPROOF_SPAMTRAPS_FILE|\/nowhere\/traps)/],
    [{ MAILPROOF_DATA_DIR: '/dev/null/data' }, /MAILPROOF_DATA_DIR/],
  ];
  for (const [given, line] of bad) {
    test(`a bad setting: ${Object.entries(given).join(' ').replace(',', '=')}`, () =>
      expectLine(given, line));
  }

  test('an old Node', async () => {
    const clone = join(folder, 'clone');
    const old = join(folder, 'old');
    mkdirSync(join(clone, 'scripts'), { recursive: true });
    mkdirSync(old);
    for (const file of ['mailproof', 'scripts/install.sh', 'package-lock.json'])
      cpSync(join(root, file), join(clone, file));
    writeFileSync(join(old, 'node'), '#!/bin/sh\necho 18\n');
    chmodSync(join(old, 'node'), 0o755);
    const { code, stderr } = await startProgram(join(clone, 'mailproof'), ['serve'], {
      env: { PATH: `${old}:/usr/bin:/bin` },
    }).ended;
    assert.equal(code, 3);
    assert.match(stderr, /^mailproof: This is Node 18\. Mailproof needs Node 20 or later[^\n]*\n$/);
  });
});
