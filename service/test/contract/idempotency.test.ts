/** `Idempotency-Key`: a repeat replays the first answer and charges nothing. */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { bulkPath, singlePath, type Answered } from '../support/api-client.ts';
import { until } from '../support/until.ts';
import { startServiceInWorld, type Account, type RunningService } from './running-service.ts';

let service: RunningService;
let account: Account;
let other: Account;
before(async () => {
  service = await startServiceInWorld({
    places: {
      zones: { 'slow.test': { mx: [[10, 'mx.slow.test']] } },
      hosts: { 'mx.slow.test': { temper: { replyDelayMs: 500 }, mailboxes: { alive: 'exists' } } },
    },
  });
  account = service.first;
  other = await service.openAccount({ credits: 10 });
});
after(() => service.stop());

const verify = (idempotencyKey: string, body: unknown, { key } = account): Promise<Answered> =>
  service.client.ask({ path: singlePath, key, body, headers: { 'idempotency-key': idempotencyKey } });
const create = (idempotencyKey: string, body: unknown, { key } = account): Promise<Answered> =>
  service.client.ask({ path: bulkPath, key, body, headers: { 'idempotency-key': idempotencyKey } });

async function expectReason(answer: Promise<Answered>, status: number, reason: string): Promise<void> {
  const { status: code, body } = await answer;
  assert.deepEqual([code, body['reason']], [status, reason]);
}

describe('POST single', () => {
  test('a repeat gets the first answer, asks nobody and charges nothing', async () => {
    const body = { email: 'alive@plain.test' };
    const first = await verify('one', body);
    assert.deepEqual(
      [first.headers['x-credits-used'], first.headers['idempotent-replayed']],
      ['1', undefined],
    );
    const balance = await service.balance(account);
    const { connections } = service.world.counts.smtp;
    for (const same of [body, { email: ' alive@plain.test', other: true }]) {
      const repeat = await verify('one', same);
      assert.deepEqual([repeat.status, repeat.body], [200, first.body]);
      const { 'x-credits-used': credits, 'idempotent-replayed': replayed } = repeat.headers;
      assert.deepEqual([credits, replayed], [first.headers['x-credits-used'], 'true']);
    }
    assert.deepEqual(await service.balance(account), balance);
    assert.equal(service.world.counts.smtp.connections, connections);
  });

  test('422 idempotency_mismatch with another body or at the other endpoint', async () => {
    await expectReason(verify('one', { email: 'support@plain.test' }), 422, 'idempotency_mismatch');
    await expectReason(create('one', { emails: ['alive@plain.test'] }), 422, 'idempotency_mismatch');
  });

  test('keys belong to an account: with the same one another account gets its own answer and pays for it', async () => {
    const answer = await verify('one', { email: 'support@plain.test' }, other);
    assert.deepEqual([answer.status, answer.body['email']], [200, 'support@plain.test']);
    assert.equal((await service.balance(other)).spent, 1);
  });

  test('409 request_in_progress while the first runs, then the first answer', async () => {
    const first = verify('slow', { email: 'alive@slow.test' });
    const host = service.world.hosts['mx.slow.test'];
    await until(
      () => host?.counts.open,
      (open) => open === 1,
    );
    const repeat = await verify('slow', { email: 'alive@slow.test' });
    assert.deepEqual([repeat.status, repeat.body['reason']], [409, 'request_in_progress']);
    assert.match(repeat.headers['retry-after'] ?? '', /^[1-9]\d*$/, 'says when to come again');
    await expectReason(verify('slow', { email: 'alive@plain.test' }), 422, 'idempotency_mismatch');
    const { status, body } = await first;
    assert.deepEqual([status, body['status']], [200, 'safe']);
    assert.deepEqual((await verify('slow', { email: 'alive@slow.test' })).body, body);
  });

  test('an attempt that failed or was refused frees its key', async () => {
    await expectReason(verify('failed', { email: 'x@servfail.test' }), 502, 'verification_unavailable');
    await expectReason(verify('failed', { email: 'nobody' }), 400, 'invalid_email');
    assert.equal((await verify('failed', { email: 'alive@plain.test' })).status, 200);
  });
});

describe('POST bulk', () => {
  test('twenty at once are one task, charged once', async () => {
    const before = await service.balance(account);
    const body = { emails: ['alive@plain.test', 'x@nxdomain.test'], name: 'once' };
    const answers = await Promise.all(Array.from({ length: 20 }, () => create('twenty', body)));
    const created = answers.filter(({ status }) => status === 201);
    assert.ok(created.length > 0);
    assert.deepEqual(new Set(answers.map(({ status }) => status)).difference(new Set([201, 409])), new Set());
    const ids = new Set(created.map(({ body: { task_id } }) => task_id));
    assert.equal(ids.size, 1);
    const [id] = ids;
    await service.client.readTaskUntil(account.key, id, (task) => task.body['status'] === 'completed');
    assert.equal((await service.balance(account)).spent, before.spent + 2);
    const repeat = await create('twenty', body);
    assert.deepEqual(repeat.body, created[0]?.body);
    assert.deepEqual(
      [repeat.headers['x-credits-used'], repeat.headers['idempotent-replayed']],
      [created[0]?.headers['x-credits-used'], 'true'],
    );
  });

  test('422 with another list, another name or another order', async () => {
    for (const body of [
      { emails: ['alive@plain.test'], name: 'once' },
      { emails: ['alive@plain.test', 'x@nxdomain.test'], name: 'twice' },
      { emails: ['x@nxdomain.test', 'alive@plain.test'], name: 'once' },
    ])
      await expectReason(create('twenty', body), 422, 'idempotency_mismatch');
  });

  test('a task that could not be paid for frees its key', async () => {
    const body = { emails: Array.from({ length: 20 }, (_, n) => `x${n}@nxdomain.test`) };
    await expectReason(create('poor', body, other), 429, 'insufficient_credits');
    await service.command('credits', 'grant', other.accountId, '20');
    assert.equal((await create('poor', body, other)).status, 201);
  });
});

test("a key that is none is the endpoint's 400: empty, too long, with blanks", async () => {
  for (const key of ['', 'x'.repeat(256), 'two words']) {
    await expectReason(verify(key, { email: 'alive@plain.test' }), 400, 'invalid_email');
    await expectReason(create(key, { emails: ['alive@plain.test'] }), 400, 'invalid_batch');
  }
  assert.equal((await verify('x'.repeat(255), { email: 'alive@plain.test' })).status, 200);
});
