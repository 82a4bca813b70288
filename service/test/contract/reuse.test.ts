import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import type { Service } from '../../src/main.ts';
import { createApiClient, listsPath, type Answered, type ApiClient } from '../support/api-client.ts';
import { openFixture, type Fixture, type OpenedAccount } from '../support/open-fixture.ts';

/** The same mailbox is asked for once, and each request is charged separately. */
describe('the same mailbox, asked for again', () => {
  const lines: string[] = [];
  let fixture: Fixture;
  let service: Service;
  let client: ApiClient;
  let one: OpenedAccount;
  let two: OpenedAccount;

  before(async () => {
    fixture = await openFixture({
      world: {
        zones: { 'plain.test': { mx: [[10, 'mx.plain.test']] }, 'busy.test': { mx: [[10, 'mx.busy.test']] } },
        hosts: {
          'mx.plain.test': { mailboxes: { ada: 'exists', bob: 'exists' }, temper: { replyDelayMs: 50 } },
          'mx.busy.test': { mailboxes: { ada: 'busy' }, temper: {} },
        },
      },
      settings: { MAILPROOF_REUSE_MS: '600000', MAILPROOF_PACING: 'on', MAILPROOF_LOG_LEVEL: 'info' },
    });
    service = await fixture.startHere({ logDestination: { write: (line) => void lines.push(line) } });
    client = createApiClient(service.url);
    one = await fixture.openAccount({ credits: 100 });
    two = await fixture.openAccount({ credits: 100 });
  });
  after(async () => {
    await service.stop();
    await fixture.close();
  });

  const timesNamed = (email: string): number =>
    fixture.world.conversations
      .flatMap(({ lines: said }) => said)
      .filter((line) => line.includes(`<${email}>`)).length;
  const explained = (key: string, email: string, headers: Record<string, string> = {}): Promise<Answered> =>
    client.verify(key, email, { path: '/api/v1/email-verification?explain=true', headers });
  const askedAt = ({ body }: Answered): unknown =>
    (body['explanation'] as Record<string, unknown>)['asked_at'];

  test('four calls at once, of two accounts: one question, four charges', async () => {
    const keys = [one.liveKey, one.liveKey, two.liveKey, two.liveKey];
    const answers = await Promise.all(keys.map((key) => client.verify(key, 'ada@plain.test')));
    assert.deepEqual(
      answers.map(({ body, creditsUsed }) => [body['status'], creditsUsed]),
      Array(4).fill(['safe', '1']),
    );
    assert.equal(timesNamed('ada@plain.test'), 1);
    assert.equal((await fixture.balance(one.accountId)).spent, 2);
    assert.equal((await fixture.balance(two.accountId)).spent, 2);
  });
  test('a call after that is told when the host answered, and is charged', async () => {
    const answer = await explained(one.liveKey, 'ada@plain.test');
    assert.equal(answer.creditsUsed, '1');
    assert.match(String(askedAt(answer)), /^\d{4}-\d\d-\d\dT.*Z$/);
    assert.equal(timesNamed('ada@plain.test'), 1);
  });
  test('Cache-Control: no-cache asks the host anew', async () => {
    const answer = await explained(one.liveKey, 'ada@plain.test', { 'cache-control': 'no-cache' });
    assert.equal(answer.body['status'], 'safe');
    assert.equal(askedAt(answer), undefined);
    assert.equal(timesNamed('ada@plain.test'), 2);
  });
  test('a task takes the answer of a single verification', async () => {
    const taskId = await client.createdTask(two.liveKey, ['ada@plain.test', 'bob@plain.test']);
    const results = await client.results(two.liveKey, taskId);
    assert.deepEqual(
      Object.values(results).map(({ status }) => status),
      ['safe', 'safe'],
    );
    assert.equal(timesNamed('ada@plain.test'), 2);
    assert.equal(timesNamed('bob@plain.test'), 1);
  });
  test('an unknown is never given again', async () => {
    for (let asked = 1; asked <= 2; asked += 1) {
      const answer = await explained(one.liveKey, 'ada@busy.test');
      assert.deepEqual([answer.body['status'], askedAt(answer)], ['unknown', undefined]);
    }
    assert.ok(timesNamed('ada@busy.test') >= 2);
  });
  test('the sandbox knows nothing of it', async () => {
    const answer = await explained(one.testKey, 'ada@plain.test');
    assert.equal(askedAt(answer), undefined);
  });
  test('a list says how long it takes before it is started, but not in the sandbox', async () => {
    const body = Array.from({ length: 1_000 }, (_, n) => `ada@domain${n}.test`).join('\n');
    const upload = (key: string) =>
      client.ask({ path: listsPath, key, body, headers: { 'content-type': 'text/csv' } });
    // 800 conversations after the burst at 50/s, and the last one.
    assert.equal((await upload(one.liveKey)).body['expected_seconds'], 21);
    assert.equal((await upload(one.testKey)).body['expected_seconds'], null);
  });
  test('the log says in one line which IP profile is in force', () => {
    const told = lines.filter((line) => line.includes('IP profile'));
    assert.equal(told.length, 1, told.join(''));
    assert.match(told[0] ?? '', /established: 50 new connections\/s per egress address, burst 200/);
  });
});
