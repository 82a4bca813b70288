import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { connect } from 'node:net';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { test } from 'node:test';
import { type ApiClient, bulkPath, createApiClient, singlePath } from '../../support/api-client.ts';
import { canaryPaths } from './canary-paths.ts';
import { until } from '../../support/until.ts';
import { openAccount } from './open-account.ts';
import { openHouse } from './open-house.ts';
import { linesWith } from './scan.ts';
import { serve, type Serving } from './serve.ts';

const settings = { MAILPROOF_LOG_LEVEL: 'trace', MAILPROOF_SINGLE_TIMEOUT_MS: '1500' };

/** Nobody writes this by chance. */
const canary = `canary${randomBytes(8).toString('hex')}`;

test('no address in anything the service writes, on any path, errors included', async (t) => {
  const { home, close } = await openHouse(settings);
  const started: Serving[] = [];
  t.after(async () => {
    await Promise.all(started.map((one) => one.kill()));
    await close();
  });
  const rich = await openAccount(home, { name: 'rich', credits: 1_000 });
  const poor = await openAccount(home, { name: 'poor' });
  const planless = await openAccount(home, { name: 'planless', credits: 10, plan: 'none' });
  const serving = await serve(home);
  started.push(serving);
  const caller = createApiClient(serving.url);
  const paths = canaryPaths(canary, { rich, poor, planless });
  for (const { status, ...call } of paths) {
    const answer = await caller.ask(call);
    assert.equal(answer.status, status, `${JSON.stringify(call)}: ${answer.text}`);
    if (status === 201) await caller.readTaskUntil(call.key ?? '', answer.body['task_id']);
  }
  await inProgress(caller, rich.liveKey);
  await sayWhatIsNoHttp(serving);
  await hangUp(serving, rich.liveKey);
  await lockTheStore(home.dataDir, caller, rich.liveKey);
  for (const path of ['/healthz', '/readyz', '/metrics', '/openapi.json']) {
    const { bytes } = await caller.ask({ method: 'GET', path });
    assert.deepEqual(linesWith(Buffer.from(bytes, 'latin1'), canary), [], path);
  }
  await drain(serving, caller, rich.liveKey);

  const written = serving.written();
  assert.equal(await serving.ended, 0);
  assert.deepEqual(linesWith(written, canary), []);
  const lines = written.toString('utf8').split('\n');
  assert.ok(lines.length > paths.length, 'there is a log');
  assert.ok(linesWith(written, 'catchall.test').length > 0, 'which names domains');
  caller.close();
});

/** 409: two of one kind, one of which waits for a silent host. */
async function inProgress(caller: ApiClient, key: string): Promise<void> {
  const call = {
    path: singlePath,
    key,
    body: { email: `${canary}@silent.test` },
    headers: { 'idempotency-key': `${canary}@silent.test` },
  };
  const answers = await Promise.all([caller.ask(call), caller.ask(call)]);
  assert.deepEqual(answers.map(({ status }) => status).sort(), [409, 504]);
}

async function sayWhatIsNoHttp({ url }: Serving): Promise<void> {
  const sayings = [
    `MAIL FROM:<${canary}@catchall.test>\r\n\r\n`,
    `POST /${canary} HTTP/9.9\r\n\r\n`,
    `GET / HTTP/1.1\r\nHost: a\r\nHost: ${canary}.test\r\n\r\n`,
    `GET / HTTP/1.1\r\nHost: a\r\n${canary}: \x01\r\n\r\n`,
    `GET / HTTP/1.1\r\nHost: a\r\nX-Address: ${`${canary}@catchall.test `.repeat(400)}\r\n\r\n`,
    `POST ${singlePath} HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\nTransfer-Encoding: ${canary}\r\n\r\nhello`,
  ];
  for (const saying of sayings) {
    const socket = connect(Number(new URL(url).port), '127.0.0.1');
    let answer = '';
    socket.on('error', () => undefined).on('data', (bytes) => (answer += bytes.toString('latin1')));
    socket.end(saying);
    await once(socket, 'close');
    assert.match(answer, /^HTTP\/1\.1 4\d\d /, saying);
    assert.ok(!answer.includes(canary), answer);
  }
}

/** The one leaves while its address is looked into, the other in the middle of its body. */
async function hangUp({ url }: Serving, key: string): Promise<void> {
  const body = JSON.stringify({ email: `${canary}@silent.test` });
  const head = `POST ${singlePath} HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ${key}\r\nContent-Type: application/json\r\n`;
  for (const missing of [0, 2]) {
    const socket = connect(Number(new URL(url).port), '127.0.0.1');
    await once(socket, 'connect');
    socket.write(`${head}Content-Length: ${body.length}\r\n\r\n${body.slice(0, body.length - missing)}`);
    // Answered on another connection: what was written before has been read by then.
    await fetch(`${url}/healthz`);
    socket.resetAndDestroy();
  }
}

/** 503: another process holds the lock for longer than a request waits. */
async function lockTheStore(dataDir: string, caller: ApiClient, key: string): Promise<void> {
  const holder = new DatabaseSync(join(dataDir, 'mailproof.db'), { timeout: 5_000 });
  holder.exec('begin immediate');
  const email = `${canary}@catchall.test`;
  const answers = await Promise.all([
    caller.ask({ path: singlePath, key, body: { email } }, { insist: false }),
    caller.ask({ path: bulkPath, key, body: { emails: [email] } }, { insist: false }),
  ]);
  holder.exec('rollback');
  holder.close();
  assert.deepEqual(
    answers.map(({ status }) => status),
    [503, 503],
  );
  // New work is shed until the store has kept up for two windows.
  assert.equal((await caller.ask({ path: singlePath, key, body: { email: canary } })).status, 400);
}

/** 503: a request that comes while another is waited for. */
async function drain(serving: Serving, caller: ApiClient, key: string): Promise<void> {
  const slow = { path: singlePath, key, body: { email: `${canary}@silent.test` } };
  const twins = [1, 2].map(() => caller.ask({ ...slow, headers: { 'idempotency-key': 'drain' } }));
  assert.equal((await Promise.race(twins)).status, 409, 'the other is under way');
  serving.signal('SIGTERM');
  const come = () => caller.ask({ ...slow, body: { email: canary } }, { insist: false });
  const late = await until(come, ({ status }) => status !== 400);
  assert.equal(late.status, 503);
  const statuses = (await Promise.all(twins)).map(({ status }) => status);
  assert.deepEqual(statuses.sort(), [409, 504]);
  await serving.ended;
}
