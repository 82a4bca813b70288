import assert from 'node:assert/strict';
import { once } from 'node:events';
import { request, type ClientRequest, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { json } from 'node:stream/consumers';
import { after, before, describe, test } from 'node:test';
import { createAccountWithKeys } from '../../../core/keys/accounts/create-account-with-keys.ts';
import { statement } from '../../../core/store/statement.ts';
import { sqlite } from '../../../../test/support/databases.ts';
import { openHttpFixture, type HttpFixture } from '../../../../test/support/http/open-http-fixture.ts';
import { until } from '../../../../test/support/until.ts';

const perAccount = 3;
const perClient = 6;

/** Files on their way, by the lists that wait for them. */
const findReceiving = statement((db) => db.selectFrom('list').select('id').where('state', '=', 'receiving'));

describe('uploads that take their time', () => {
  let fixture: HttpFixture;
  let port: number;
  let open: Upload[] = [];
  before(async () => {
    fixture = await openHttpFixture(sqlite);
    await fixture.server.listen({ port: 0, host: '127.0.0.1' });
    port = (fixture.server.server.address() as AddressInfo).port;
  });
  after(() => fixture.close());

  type Upload = { outgoing: ClientRequest; answer: Promise<{ status: number; reason: unknown }> };

  /** Begins a file and does not end it: `end` does. */
  function begin(apiKey: string, client = '127.0.0.1'): Upload {
    const headers = { authorization: `Bearer ${apiKey}`, 'content-type': 'text/csv' };
    const outgoing = request({
      method: 'POST',
      host: '127.0.0.1',
      port,
      path: '/api/v1/lists',
      headers,
      localAddress: client,
      agent: false,
    });
    const answer = once(outgoing, 'response').then(async ([response]: IncomingMessage[]) => {
      assert.ok(response);
      const body = (await json(response)) as { reason?: unknown };
      return { status: response.statusCode ?? 0, reason: body.reason };
    });
    outgoing.write('email\n');
    return { outgoing, answer };
  }
  const end = async ({ outgoing, answer }: Upload): Promise<number> => {
    outgoing.end('ada@x.example\n');
    return (await answer).status;
  };
  /** Begins so many and waits until the service has them all under way. */
  async function hold(count: number, apiKey: string, client?: string): Promise<void> {
    const before = await receiving();
    open.push(...Array.from({ length: count }, () => begin(apiKey, client)));
    await until(async () => (await receiving()) === before + count);
  }
  const receiving = async (): Promise<number> => (await fixture.store.read.all(findReceiving, {})).length;
  async function endAll(): Promise<void> {
    const statuses = await Promise.all(open.map(end));
    assert.ok(statuses.every((status) => status === 201));
    open = [];
  }
  const refused = { status: 429, reason: 'too_many_uploads' };
  const newAccount = async (): Promise<string> => {
    const parts = { store: fixture.store, wallClock: fixture.time.wallClock, actor: 'operator' as const };
    const made = await createAccountWithKeys({ name: 'a', plan: 'paid', credits: 1 }, parts);
    return made.liveKey.apiKey;
  };

  test('of one account hold three places, and those of its test keys and of other accounts stay free', async () => {
    const { ours, theirs } = fixture;
    await hold(perAccount, ours.live.apiKey);
    assert.deepEqual(await begin(ours.live.apiKey, '127.0.0.2').answer, refused);
    assert.equal(await end(begin(ours.test.apiKey, '127.0.0.2')), 201);
    assert.equal(await end(begin(theirs.live.apiKey, '127.0.0.2')), 201);
    await endAll();
    assert.equal(await end(begin(ours.live.apiKey)), 201, 'the places come back');
  });

  test('of test keys hold no place of the live ones of their account', async () => {
    const { ours } = fixture;
    await hold(perAccount, ours.test.apiKey);
    assert.deepEqual(await begin(ours.test.apiKey).answer, refused);
    await hold(perAccount, ours.live.apiKey, '127.0.0.2');
    await endAll();
  });

  test('of one client hold six places, whatever keys it has; another client goes on', async () => {
    const keys = await Promise.all(Array.from({ length: perClient }, newAccount));
    for (const key of keys) await hold(1, key);
    const late = await newAccount();
    assert.deepEqual(await begin(late).answer, refused);
    assert.equal(await end(begin(late, '127.0.0.2')), 201);
    await endAll();
  });

  test('that break off give their places back', async () => {
    const key = await newAccount();
    await hold(perAccount, key);
    for (const { outgoing, answer } of open) {
      answer.catch(() => undefined);
      outgoing.destroy();
    }
    open = [];
    await until(async () => (await end(begin(key))) === 201);
  });
});
