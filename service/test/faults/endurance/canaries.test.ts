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
import { linesWith } from './scan.ts';
import type { Serving } from '../../support/mailproof.ts';
import { openLoadFixture } from './load-world.ts';

const settings = { MAILPROOF_LOG_LEVEL: 'trace', MAILPROOF_SINGLE_TIMEOUT_MS: '1500' };

/** A random word that no text contains by chance. */
const canary = `canary${randomBytes(8).toString('hex')}`;

test('no address in anything the service writes, on any path, errors included', async (t) => {
  const fixture = await openLoadFixture({ settings });
  t.after(() => fixture.close());
  const rich = await fixture.openAccount({ name: 'rich', credits: 1_000 });
  const poor = await fixture.openAccount({ name: 'poor' });
  const planless = await fixture.openAccount({ name: 'planless', credits: 10, plan: 'none' });
  const serving = await fixture.serve();
  const client = createApiClient(serving.url);
  const paths = canaryPaths(canary, { rich, poor, planless });
  for (const { status, ...call } of paths) {
    const answer = await client.ask(call);
    assert.equal(answer.status, status, `${JSON.stringify(call)}: ${answer.text}`);
    if (status === 201) await client.readTaskUntil(call.key ?? '', answer.body['task_id']);
  }
  await inProgress(client, rich.liveKey);
  await sayWhatIsNoHttp(serving);
  await hangUp(serving, rich.liveKey);
  await lockTheStore(fixture.dataDir, client, rich.liveKey);
  for (const path of ['/healthz', '/readyz', '/metrics', '/openapi.json']) {
    const { bytes } = await client.ask({ method: 'GET', path });
    assert.deepEqual(linesWith(bytes, canary), [], path);
  }
  await drain(serving, client, rich.liveKey);

  const written = serving.stdout() + serving.stderr();
  assert.equal((await serving.ended).code, 0);
  assert.deepEqual(linesWith(written, canary), []);
  const lines = written.split('\n');
  assert.ok(lines.length > paths.length, 'there is a log');
  assert.ok(linesWith(written, 'catchall.test').length > 0, 'which names domains');
  client.close();
});

/** 409: two equal requests, one of which waits for a silent host. */
async function inProgress(client: ApiClient, key: string): Promise<void> {
  const call = {
    path: singlePath,
    key,
    body: { email: `${canary}@silent.test` },
    headers: { 'idempotency-key': `${canary}@silent.test` },
  };
  const answers = await Promise.all([client.ask(call), client.ask(call)]);
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

/** Hangs up twice: while an address is verified, and in the middle of a body. */
async function hangUp({ url }: Serving, key: string): Promise<void> {
  const body = JSON.stringify({ email: `${canary}@silent.test` });
  const head = `POST ${singlePath} HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ${key}\r\nContent-Type: application/json\r\n`;
  for (const missing of [0, 2]) {
    const socket = connect(Number(new URL(url).port), '127.0.0.1');
    await once(socket, 'connect');
    socket.write(`${head}Content-Length: ${body.length}\r\n\r\n${body.slice(0, body.length - missing)}`);
    // An answer on another connection: the earlier bytes have been read by then.
    await fetch(`${url}/healthz`);
    socket.resetAndDestroy();
  }
}

/** 503: another process holds the lock for longer than a request waits. */
async function lockTheStore(dataDir: string, client: ApiClient, key: string): Promise<void> {
  const holder = new DatabaseSync(join(dataDir, 'mailproof.db'), { timeout: 5_000 });
  holder.exec('begin immediate');
  const email = `${canary}@catchall.test`;
  const answers = await Promise.all([
    client.ask({ path: singlePath, key, body: { email } }, { insist: false }),
    client.ask({ path: bulkPath, key, body: { emails: [email] } }, { insist: false }),
  ]);
  holder.exec('rollback');
  holder.close();
  assert.deepEqual(
    answers.map(({ status }) => status),
    [503, 503],
  );
  // New work is shed until the store has kept up for two windows.
  assert.equal((await client.ask({ path: singlePath, key, body: { email: canary } })).status, 400);
}

/** 503: a request during the shutdown, while another one is still running. */
async function drain(serving: Serving, client: ApiClient, key: string): Promise<void> {
  const slow = { path: singlePath, key, body: { email: `${canary}@silent.test` } };
  const twins = [1, 2].map(() => client.ask({ ...slow, headers: { 'idempotency-key': 'drain' } }));
  assert.equal((await Promise.race(twins)).status, 409, 'the other is under way');
  serving.child.kill('SIGTERM');
  const come = () => client.ask({ ...slow, body: { email: canary } }, { insist: false });
  const late = await until(come, ({ status }) => status !== 400);
  assert.equal(late.status, 503);
  const statuses = (await Promise.all(twins)).map(({ status }) => status);
  assert.deepEqual(statuses.sort(), [409, 504]);
  await serving.ended;
}
