import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createServer as createNetServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { readConfig, type Config } from './start/config.ts';
import { createContractCheck } from '../test/support/http/contract-check.ts';
import { isObject } from './core/http/pipeline/parse-body.ts';
import { StartError, startService, type Service } from './main.ts';

const folders: string[] = [];
const services: Service[] = [];
after(async () => {
  // A test that failed has left its service running.
  await Promise.all(services.map((service) => service.stop()));
  for (const folder of folders) rmSync(folder, { recursive: true, force: true });
});

function newFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'mailproof-main-'));
  folders.push(folder);
  return folder;
}

/** A service whose only DNS server does not exist: live keys reach no mail host. */
function configFor(dataDir: string, more: Record<string, string> = {}): Config {
  const read = readConfig({
    MAILPROOF_DATA_DIR: dataDir,
    MAILPROOF_PORT: '0',
    MAILPROOF_DNS_SERVERS: '127.0.0.1:9',
    MAILPROOF_SANDBOX_DELAYS: 'off',
    ...more,
  });
  if (read.kind === 'bad') throw new Error(read.problem);
  return read.config;
}

type Started = { service: Service; printed: string; log: string[]; live: string; test: string };

async function start(dataDir: string, more: Record<string, string> = {}): Promise<Started> {
  const log: string[] = [];
  let printed = '';
  const service = await startService(configFor(dataDir, more), {
    print: (text) => (printed += text),
    logDestination: { write: (line) => void log.push(line) },
  });
  services.push(service);
  const [live = '', testKey = ''] = [/mp_live_\w+/, /mp_test_\w+/].map((key) => key.exec(printed)?.[0]);
  return { service, printed, log, live, test: testKey };
}

async function post(
  url: string,
  key: string,
  { headers = {}, ...body }: Record<string, unknown> & { headers?: Record<string, string> },
) {
  const response = await fetch(url, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json', ...headers },
    body: JSON.stringify(body),
  });
  return await held(response);
}

/** As `post`; a service that is busy says when to come again, and a client comes again. */
async function postUntilServed(...request: Parameters<typeof post>) {
  for (;;) {
    const answer = await post(...request);
    if (answer.statusCode !== 503) return answer;
    await sleep(1_000 * Number(answer.headers['retry-after']));
  }
}

async function held(response: Response) {
  const body = await response.text();
  return {
    statusCode: response.status,
    headers: Object.fromEntries(response.headers),
    body,
    json: JSON.parse(body) as unknown,
  };
}

const single = '/api/v1/email-verification';
const bulk = '/api/v1/bulk-email-verification';
const insufficient = { status: 'error', reason: 'insufficient_credits' };

describe('a first start', () => {
  test('prints keys once, and the printed curl works', async () => {
    const folder = newFolder();
    const first = await start(folder);
    assert.match(first.printed, /mp_live_\w+/);
    assert.ok(first.printed.includes(`curl ${first.service.url}${single}`));
    const answer = await postUntilServed(first.service.url + single, first.test, {
      email: 'safe@example.com',
    });
    assert.equal(answer.statusCode, 200);
    assert.ok(isObject(answer.json));
    assert.deepEqual([answer.json['status'], answer.headers['x-credits-used']], ['safe', '0']);
    await first.service.stop();

    const second = await start(folder);
    assert.equal(second.printed, '');
    assert.equal(
      (await postUntilServed(second.service.url + single, first.test, { email: 'safe@example.com' }))
        .statusCode,
      200,
    );
    await second.service.stop();
    for (const line of [...first.log, ...second.log]) {
      assert.ok(!line.includes(first.test) && !line.includes(first.live), 'no key in the log');
      assert.ok(!line.includes('safe@'), 'no address in the log');
    }
  });
});

describe('the whole service, with a test key', () => {
  test('429: no more is stored in an hour than the setting allows; what is not stored is answered', async () => {
    const { service, test: key } = await start(newFolder(), { MAILPROOF_SANDBOX_ADDRESSES_PER_HOUR: '3' });
    const emails = ['safe@example.com', 'unknown@example.com'];
    const idempotent = { 'idempotency-key': 'one' };
    const create = () => post(service.url + bulk, key, { emails });
    const keyed = (headers = idempotent) =>
      post(service.url + single, key, { email: 'safe@example.com', headers });
    assert.equal((await create()).statusCode, 201);
    const refused = await create();
    assert.deepEqual([refused.statusCode, refused.json], [429, insufficient]);
    assert.equal(Number(refused.headers['retry-after']), 3_600);
    assert.equal((await keyed()).statusCode, 200);
    assert.equal((await keyed({ 'idempotency-key': 'two' })).statusCode, 429);
    assert.equal(
      (await postUntilServed(service.url + single, key, { email: 'safe@example.com' })).statusCode,
      200,
    );
    await service.stop();
  });

  test('every answer of the sandbox, single, as the OpenAPI document has it', async () => {
    const { service, test: key } = await start(newFolder());
    const check = createContractCheck((await held(await fetch(`${service.url}/openapi.json`))).json);
    const expected: Record<string, [number, string]> = {
      safe: [200, 'safe'],
      invalid: [200, 'invalid'],
      disabled: [200, 'disabled'],
      disposable: [200, 'disposable'],
      inbox_full: [200, 'inbox_full'],
      catch_all: [200, 'catch_all'],
      role_account: [200, 'role_account'],
      spamtrap: [200, 'spamtrap'],
      unknown: [200, 'unknown'],
      greylisted: [200, 'unknown'],
      unavailable: [502, 'verification_unavailable'],
      timeout: [504, 'verification_timeout'],
      failed: [500, 'verification_failed'],
    };
    for (const [name, [status, word]] of Object.entries(expected)) {
      const answer = await postUntilServed(`${service.url}${single}?explain=true`, key, {
        email: `x+${name}@any.example`,
      });
      check(single, answer);
      assert.ok(isObject(answer.json));
      assert.deepEqual(
        [answer.statusCode, answer.json[status === 200 ? 'status' : 'reason']],
        [status, word],
        name,
      );
      assert.equal(answer.headers['x-credits-used'], '0');
    }
    await service.stop();
  });

  test('a task runs from waiting to completed, and its records are those of the contract', async () => {
    const { service, test: key } = await start(newFolder());
    const check = createContractCheck((await held(await fetch(`${service.url}/openapi.json`))).json);
    const emails = [
      'safe@a.example',
      'SAFE@A.example',
      'catch_all@a.example',
      'unknown@a.example',
      'timeout@a.example',
      'nobody',
      '__proto__@a.example',
    ];
    const created = await postUntilServed(service.url + bulk, key, { emails, name: 'Spring' });
    check(bulk, created);
    assert.ok(isObject(created.json));
    assert.deepEqual(
      [
        created.json['count_submitted'],
        created.json['count_duplicates_removed'],
        created.json['count_rejected_emails'],
        created.json['count_processing'],
      ],
      [7, 1, 1, 5],
    );
    const task = await completed(`${service.url}${bulk}/${String(created.json['task_id'])}`, key, check);
    assert.equal(task['name'], 'API: Spring');
    assert.equal(task['progress_percentage'], 100);
    const results = task['results'];
    assert.ok(isObject(results));
    assert.deepEqual(Object.keys(results), [
      'safe@a.example',
      'catch_all@a.example',
      'unknown@a.example',
      'timeout@a.example',
      '__proto__@a.example',
    ]);
    await service.stop();
  });

  test('idempotent repeats replay, other bodies are refused', async () => {
    const { service, test: key } = await start(newFolder());
    const headers = { 'idempotency-key': 'once' };
    const first = await postUntilServed(service.url + bulk, key, { emails: ['safe@a.example'], headers });
    const again = await postUntilServed(service.url + bulk, key, { emails: ['safe@a.example'], headers });
    const other = await postUntilServed(service.url + bulk, key, { emails: ['other@a.example'], headers });
    assert.deepEqual([first.statusCode, again.statusCode, other.statusCode], [201, 201, 422]);
    assert.deepEqual(again.json, first.json);
    await service.stop();
  });
});

describe('the whole service, with a live key', () => {
  test('no resolver: 502, and the credit is back', async () => {
    const { service, live } = await start(newFolder(), { MAILPROOF_SINGLE_TIMEOUT_MS: '20000' });
    const answer = await postUntilServed(service.url + single, live, { email: 'jane@example.com' });
    assert.deepEqual([answer.statusCode, answer.headers['x-credits-used']], [502, '0']);
    const manyOf = await postUntilServed(service.url + bulk, live, {
      emails: Array.from({ length: 100 }, (_, i) => `a${i}@example.com`),
    });
    assert.deepEqual([manyOf.statusCode, manyOf.headers['x-credits-used']], [201, '100']);
    await service.stop();
  });

  test('a deleted or made-up key is 401, and another path 404', async () => {
    const { service, live } = await start(newFolder());
    const typo = live.slice(0, -1) + (live.endsWith('a') ? 'b' : 'a');
    assert.equal(
      (await postUntilServed(service.url + single, typo, { email: 'jane@example.com' })).statusCode,
      401,
    );
    assert.equal((await fetch(`${service.url}/nowhere`)).status, 404);
    await service.stop();
  });
});

describe('stopping', () => {
  test('a request under way is answered, readyz turns 503 at once, and stopping twice is stopping once', async () => {
    const { service, test: key } = await start(newFolder(), { MAILPROOF_SANDBOX_DELAYS: 'on' });
    // Two requests with one idempotency key: the one that is told of the other proves that the other is under way.
    const twins = [1, 2].map(() =>
      post(service.url + single, key, { email: 'safe@example.com', headers: { 'idempotency-key': 'twin' } }),
    );
    assert.equal((await Promise.race(twins)).statusCode, 409);
    const stopping = service.stop();
    assert.equal((await fetch(`${service.url}/readyz`)).status, 503);
    assert.equal((await post(service.url + single, key, { email: 'safe@example.com' })).statusCode, 503);
    const answers = (await Promise.all(twins)).map(({ statusCode }) => statusCode);
    assert.deepEqual(answers.sort(), [200, 409]);
    await Promise.all([stopping, service.stop()]);
    await assert.rejects(fetch(`${service.url}/healthz`));
  });

  test('a task under way goes on at the next start', async () => {
    const folder = newFolder();
    const first = await start(folder, { MAILPROOF_SANDBOX_DELAYS: 'on' });
    const created = await postUntilServed(first.service.url + bulk, first.test, {
      emails: Array.from({ length: 50 }, (_, i) => `a${i}@a.example`),
    });
    assert.ok(isObject(created.json));
    await first.service.stop();
    const second = await start(folder);
    const task = await completed(
      `${second.service.url}${bulk}/${String(created.json['task_id'])}`,
      first.test,
    );
    assert.equal(task['count_checked'], 50);
    await second.service.stop();
  });
});

describe('what keeps it from starting is one line', () => {
  test('the port is taken', async () => {
    const holder = createNetServer();
    await new Promise<void>((resolve) => holder.listen(0, '127.0.0.1', resolve));
    const address = holder.address();
    assert.ok(address !== null && typeof address === 'object');
    const folder = newFolder();
    await assert.rejects(start(folder, { MAILPROOF_PORT: String(address.port) }), (error) => {
      assert.ok(error instanceof StartError);
      assert.match(error.message, /^port \d+ on 127\.0\.0\.1 is taken: .*MAILPROOF_PORT/);
      return true;
    });
    holder.close();
    // The keys of the first account were not lost with the start that failed.
    const { service, printed } = await start(folder);
    assert.match(printed, /mp_live_/);
    await service.stop();
  });

  test('a database that is not there, an address that is not here, a base path that is taken', async () => {
    const lineOf = async (more: Record<string, string>) => {
      const error: unknown = await start(newFolder(), more).then(
        () => undefined,
        (thrown: unknown) => thrown,
      );
      return error instanceof StartError ? error.message : String(error);
    };
    assert.match(
      await lineOf({ MAILPROOF_DATABASE_URL: 'postgres://a@127.0.0.1:1/b' }),
      /^the database 127\.0\.0\.1:1\/b cannot be reached .* MAILPROOF_DATABASE_URL /,
    );
    assert.match(await lineOf({ MAILPROOF_HOST: '192.0.2.1' }), /MAILPROOF_HOST/);
    assert.match(
      await lineOf({ MAILPROOF_BASE_PATH: '/docs/mail' }),
      /^MAILPROOF_BASE_PATH is \/docs\/mail, /,
    );
  });

  test('the key of the log is made once and kept to ourselves', async () => {
    const folder = newFolder();
    const secrets: string[] = [];
    for (let round = 0; round < 2; round += 1) {
      await (await start(folder)).service.stop();
      secrets.push(readFileSync(join(folder, 'log-secret')).toString('hex'));
    }
    assert.equal(secrets[0], secrets[1]);
    assert.equal(secrets[0]?.length, 64);
  });
});

async function completed(url: string, key: string, check?: ReturnType<typeof createContractCheck>) {
  const until = performance.now() + 60_000;
  while (performance.now() < until) {
    const answer = await held(await fetch(url, { headers: { authorization: `Bearer ${key}` } }));
    if (answer.statusCode === 503) continue;
    check?.(`${bulk}/{taskId}`, answer);
    assert.ok(isObject(answer.json));
    if (answer.json['status'] === 'completed') return answer.json;
    await sleep(20);
  }
  throw new Error('the task did not complete');
}
