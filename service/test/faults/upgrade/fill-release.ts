import assert from 'node:assert/strict';
import { tempers, type WorldDescription } from '@mailproof/world';
import { bulkPath, createApiClient, listsPath, singlePath } from '../../support/api-client.ts';
import { runCommand } from '../../support/mailproof.ts';
import { openFixture, type Fixture } from '../../support/open-fixture.ts';
import { until } from '../../support/until.ts';
import { dumpDatabase } from './dump-database.ts';
import type { KeptAnswers } from './kept-release.ts';

const zone = (domain: string) => ({ [domain]: { mx: [[10, `mx.${domain}`] as [number, string]] } });

/**
 * Returns a world with named mailboxes. `later.test` defers every recipient while the release works, and answers in
 * the world of a test.
 */
export function releaseWorld(later: 'defers' | 'answers'): WorldDescription {
  const mailboxes = { ada: 'exists', bob: 'exists', cy: 'exists', full: 'full' } as const;
  return {
    zones: { ...zone('here.test'), ...zone('later.test') },
    hosts: {
      'mx.here.test': { mailboxes },
      'mx.later.test': {
        mailboxes,
        temper: later === 'defers' ? tempers.greylistEverybody : {},
      },
    },
  };
}

/**
 * Lets a release work for a while on its own database, and returns that database as SQL with the last answers of
 * the API: finished and unfinished tasks and lists, charges and released credits, keys of every kind.
 */
export async function fillRelease(
  program: string,
  database: 'SQLite' | 'PostgreSQL',
): Promise<{ sql: string; answers: KeptAnswers }> {
  const settings = { MAILPROOF_DEFER_RETRY_MS: '5000', MAILPROOF_LOG_LEVEL: 'info' };
  const fixture = await openFixture({ world: releaseWorld('defers'), database, settings });
  try {
    const account = await openAccount(fixture, program);
    const service = await fixture.serve({ program });
    const { url } = service;
    const { paths, ...made } = await work(url, account.liveKey);
    assert.equal(await service.stop(), 0);
    // Again without a worker, so that nothing changes while it is asked.
    const api = await fixture.serve({ program, role: 'api' });
    const answers = { ...account, ...made, asked: await ask(api.url, account.liveKey, paths) };
    assert.equal(await api.stop(), 0);
    const sql = await dumpDatabase(fixture.env);
    return { sql, answers: { takenAt: Date.now(), ...answers } };
  } finally {
    await fixture.close();
  }
}

type OldAccount = Pick<KeptAnswers, 'accountId' | 'liveKey' | 'testKey' | 'deletedKey'>;

async function openAccount({ env }: Fixture, program: string): Promise<OldAccount> {
  const run = (...args: string[]) => runCommand(args, env, { program });
  await run('accounts', 'create', '--name', 'Without a plan', '--plan', 'none');
  const { account_id: id } = await run('accounts', 'create', '--name', 'Old hands', '--credits', '500');
  const accountId = String(id);
  await run('credits', 'grant', accountId, '500');
  const live = await run('keys', 'create', accountId);
  const test = await run('keys', 'create', accountId, '--test');
  const deleted = await run('keys', 'create', accountId);
  await run('keys', 'delete', String(deleted['key_id']));
  const [liveKey, testKey, deletedKey] = [live, test, deleted].map((row) => String(row['api_key']));
  assert.ok(liveKey !== undefined && testKey !== undefined && deletedKey !== undefined);
  return { accountId, liveKey, testKey, deletedKey };
}

type Made = Pick<KeptAnswers, 'repeated' | 'unfinished'> & { paths: string[] };

async function work(url: string, key: string): Promise<Made> {
  const client = createApiClient(url);
  const post = async (path: string, body: unknown, headers?: Record<string, string>) => {
    const answer = await client.ask({ path, key, body, ...(headers === undefined ? {} : { headers }) });
    assert.ok(answer.status < 300, `${path}: ${answer.status} ${answer.text}`);
    return answer.body;
  };
  for (const email of ['ada@here.test', 'nobody@here.test', 'ada@later.test', 'x@no-such-domain.test'])
    await post(singlePath, { email });
  const repeated = { idempotencyKey: 'first-of-may', email: 'bob@here.test' };
  await post(singlePath, { email: repeated.email }, { 'idempotency-key': repeated.idempotencyKey });
  await post('/api/v1/account/form-keys', { name: 'Sign-up', origins: ['https://www.example.com'] });
  await post('/api/v1/webhooks', {
    url: 'https://hooks.example.com/mailproof',
    events: ['credits.low'],
    credits_low_at: 1,
  });
  const emails = ['ada@here.test', 'full@here.test', 'nobody@here.test', 'no address', 'ADA@here.test'];
  const { task_id: done } = await post(bulkPath, { emails, name: 'finished' });
  await client.readTaskUntil(key, done);
  const upload = async (name: string, text: string) => {
    const headers = { 'content-type': 'text/csv' };
    return String((await post(`${listsPath}?name=${name}`, Buffer.from(text), headers))['list_id']);
  };
  const surveyed = await upload('surveyed', 'email\nada@here.test\nbob@here.test\n');
  const ended = await upload('ended', 'name,email\nAda,ada@here.test\nNobody,nobody@here.test\n');
  await post(`${listsPath}/${ended}/start`, {});
  const state = (id: string) => client.ask({ method: 'GET', path: `${listsPath}/${id}`, key });
  await until(async () => (await state(ended)).body['state'] === 'completed');
  const list = await upload('unfinished', 'email\nbob@here.test\ncy@later.test\n');
  await post(`${listsPath}/${list}/start`, {});
  const { task_id: task } = await post(bulkPath, {
    emails: ['cy@here.test', 'ada@later.test', 'bob@later.test'],
    name: 'unfinished',
  });
  await until(async () => (await state(list)).body['checked'] === 1);
  await until(async () => (await client.readTask(key, task)).body['count_checked'] === 1);
  client.close();
  const ofLists = [surveyed, ended, list].map((id) => `${listsPath}/${id}`);
  const paths = [
    ...['', '/ledger?limit=100', '/tasks', '/keys', '/form-keys'].map((path) => `/api/v1/account${path}`),
    ...['/api/v1/webhooks', listsPath, ...ofLists, `${ofLists[1] ?? ''}/rows`],
    ...[`${ofLists[1] ?? ''}/download?rows=all&format=csv`, `${bulkPath}/${String(done)}?explain=true`],
    `${bulkPath}/${String(task)}`,
  ];
  return { repeated, unfinished: { list, task: String(task) }, paths };
}

async function ask(url: string, key: string, paths: readonly string[]): Promise<KeptAnswers['asked']> {
  const client = createApiClient(url);
  const asked: KeptAnswers['asked'] = [];
  for (const path of paths) {
    const { status, body, text } = await client.ask({ method: 'GET', path, key });
    assert.equal(status, 200, `${path}: ${text}`);
    asked.push({ path, answer: Object.keys(body).length > 0 ? body : text });
  }
  client.close();
  return asked;
}
