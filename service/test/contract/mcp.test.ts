import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { createClient, type KeyRequest } from '@mailproof/client';
import { root } from '../support/mailproof.ts';
import {
  call,
  openAgentFixture,
  refusal,
  toolPromises,
  type AgentFixture,
  type Connected,
} from '../support/mcp/tool-promises.ts';

let agents: AgentFixture;
before(async () => {
  agents = await openAgentFixture();
});
after(() => agents.close());

describe('the tools over streamable HTTP', () => {
  let connected: Connected;
  before(async () => {
    connected = { ...agents, kind: 'streamable HTTP', client: await agents.connect('streamable HTTP') };
  });

  for (const [promise, hold] of Object.entries(toolPromises)) test(promise, () => hold(connected));
});

describe('/mcp', () => {
  const ask = (init: RequestInit & { headers?: Record<string, string> }) =>
    fetch(new URL('/mcp', agents.service.url), init);
  const message = { method: 'POST', body: '{"jsonrpc":"2.0","id":1,"method":"ping"}' };
  const json = { 'content-type': 'application/json', accept: 'application/json, text/event-stream' };

  test('401: without a key, with a wrong one and with a cookie alone', async () => {
    const cookie = { cookie: 'mailproof_session=x' };
    for (const headers of [{}, { authorization: 'Bearer mp_live_wrong' }, cookie]) {
      const { status, headers: answered } = await ask({ ...message, headers: { ...json, ...headers } });
      assert.deepEqual([status, answered.get('www-authenticate')], [401, 'Bearer']);
    }
  });

  test('403: a page of another site, whatever key it has', async () => {
    const headers = {
      ...json,
      authorization: `Bearer ${agents.account.liveKey}`,
      origin: 'https://evil.example',
    };
    assert.equal((await ask({ ...message, headers })).status, 403);
  });

  test('405: any method but POST', async () => {
    const { status, headers } = await ask({ method: 'GET' });
    assert.deepEqual([status, headers.get('allow')], [405, 'POST']);
  });

  test('a test key needs no confirmation: it costs nothing', async () => {
    const sandbox = await agents.connect('streamable HTTP', { key: agents.account.testKey });
    const {
      outcome,
      result,
      credits_at_most: cost,
    } = await call(sandbox, 'verify_address', {
      email: 'catch_all@example.com',
    });
    assert.deepEqual([outcome, result?.status, cost], ['verified', 'catch_all', 0]);
  });

  test('a list of another account is not found', async () => {
    const owner = await agents.connect('streamable HTTP');
    const { list } = await call(owner, 'estimate_list', {
      content: 'email\nada@example.com\n',
      name: 'mine',
    });
    const elsewhere = await agents.fixture.openAccount({ credits: 10 });
    const other = await agents.connect('streamable HTTP', { key: elsewhere.liveKey });
    const id = { list_id: list.list_id };
    assert.equal(await refusal(other, 'read_list', id), 'list_not_found');
    assert.equal(await refusal(other, 'why_verdict', { ...id, row: 1 }), 'list_not_found');
    assert.equal(await refusal(other, 'start_list', { ...id, confirm: true }), 'list_not_found');
  });

  test('what a key is limited to holds for its agents: scopes, addresses and the cap of a day', async () => {
    const owner = createClient({ baseUrl: agents.service.url, apiKey: agents.account.liveKey });
    const create = async (limits: KeyRequest) =>
      (await owner.keys.create({ name: 'agent', ...limits })).api_key;

    const ofLists = await agents.connect('streamable HTTP', { key: await create({ scopes: ['lists'] }) });
    const verify = { email: 'ada@example.com', confirm: true };
    assert.equal(await refusal(ofLists, 'verify_address', verify), 'insufficient_scope');
    const estimate = await call(ofLists, 'estimate_list', {
      content: 'email\nada@example.com\n',
      name: 'scoped',
    });
    assert.deepEqual([estimate.list.addresses, estimate.credits_available], [1, undefined]);

    const capped = await agents.connect('streamable HTTP', { key: await create({ credits_per_day: 1 }) });
    assert.equal((await call(capped, 'verify_address', verify)).credits_used, 1);
    assert.equal(await refusal(capped, 'verify_address', verify), 'key_limit_reached');

    const elsewhere = await create({ allowed_ips: ['192.0.2.0/24'] });
    const headers = { ...json, authorization: `Bearer ${elsewhere}` };
    assert.equal((await ask({ ...message, headers })).status, 401);
  });

  test('a start that the account cannot pay for is refused, and nothing is spent', async () => {
    const poor = await agents.fixture.openAccount({ credits: 1 });
    const client = await agents.connect('streamable HTTP', { key: poor.liveKey });
    const content = 'email\nada@example.com\nbob@example.com\n';
    const { list } = await call(client, 'estimate_list', { content });
    const start = { list_id: list.list_id, confirm: true };
    assert.equal(await refusal(client, 'start_list', start), 'insufficient_credits');
    assert.equal((await agents.fixture.balance(poor.accountId)).spent, 0);
  });

  test('llms.txt says how to connect, here as beside the docs', async () => {
    const response = await fetch(new URL('/llms.txt', agents.service.url));
    assert.equal(response.headers.get('content-type'), 'text/plain; charset=utf-8');
    assert.equal(await response.text(), readFileSync(join(root, 'docs/llms.txt'), 'utf8'));
  });
});
