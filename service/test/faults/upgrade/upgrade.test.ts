import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { chargedBy, createApiClient, listsPath, type ApiClient } from '../../support/api-client.ts';
import { isRecord } from '../../support/mailproof.ts';
import { openFixture, type Balance } from '../../support/open-fixture.ts';
import { until } from '../../support/until.ts';
import { releaseWorld } from './fill-release.ts';
import { keptReleases, loadRelease, type KeptAnswers } from './kept-release.ts';

/** Fields that change with the clock alone. */
const notKept = new Set(['expected_end', 'waiting', 'waiting_until']);

/** A day that moves forward with every use, such as those of this test. */
const dayOfUse = 'last_used';
const dayIn = (value: unknown): string => (typeof value === 'string' ? value : '');

/** Asserts that every kept field is still there; a later version may have more. */
function assertHolds(actual: unknown, kept: unknown, where: string): void {
  if (Array.isArray(kept)) {
    assert.ok(Array.isArray(actual), where);
    assert.equal(actual.length, kept.length, where);
    for (const [index, value] of kept.entries()) assertHolds(actual[index], value, `${where}[${index}]`);
  } else if (isRecord(kept)) {
    assert.ok(isRecord(actual), where);
    for (const [name, value] of Object.entries(kept)) {
      if (name === dayOfUse) assert.ok(dayIn(actual[name]) >= dayIn(value), `${where}.${name}`);
      else if (!notKept.has(name)) assertHolds(actual[name], value, `${where}.${name}`);
    }
  } else assert.deepEqual(actual, kept, where);
}

async function assertAnswersAsBefore(client: ApiClient, kept: KeptAnswers): Promise<void> {
  const { liveKey: key, asked, repeated } = kept;
  for (const { path, answer } of asked) {
    const { status, body, text } = await client.ask({ method: 'GET', path, key });
    assert.equal(status, 200, `${path}: ${text}`);
    assertHolds(typeof answer === 'string' ? text : body, answer, path);
  }
  const again = await client.verify(key, repeated.email, {
    headers: { 'idempotency-key': repeated.idempotencyKey },
  });
  assert.deepEqual(
    [again.status, again.body['status'], again.creditsUsed, chargedBy(again)],
    [200, 'safe', '1', 0],
    'not charged again',
  );
  assert.equal((await client.verify(kept.deletedKey, 'ada@here.test')).status, 401);
  assert.equal((await client.verify(kept.testKey, 'safe@example.com')).status, 200);
}

async function assertWorkGoesOn(client: ApiClient, { liveKey: key, unfinished }: KeptAnswers): Promise<void> {
  const task = await client.readTaskUntil(key, unfinished.task);
  const results = Object.values(task.body['results'] as Record<string, { status: string }>);
  assert.deepEqual(
    results.map(({ status }) => status),
    ['safe', 'safe', 'safe'],
  );
  const { body } = await until(
    () => client.ask({ method: 'GET', path: `${listsPath}/${unfinished.list}`, key }),
    (list) => list.body['state'] === 'completed',
  );
  assert.deepEqual(body['by_status'], { safe: 2 });
}

function creditsIn({ asked }: KeptAnswers): Balance {
  const account = asked.find(({ path }) => path === '/api/v1/account')?.answer;
  assert.ok(isRecord(account) && isRecord(account['credits']));
  return account['credits'] as Balance;
}

for (const release of keptReleases) {
  for (const database of ['SQLite', 'PostgreSQL'] as const) {
    describe(`a database of ${release} on ${database}`, () => {
      it('is migrated: everything in it answers as before, and unfinished work is finished', async (t) => {
        const fixture = await openFixture({ world: releaseWorld('answers'), database });
        t.after(() => fixture.close());
        const kept = await loadRelease(release, fixture.env);
        const plan = await fixture.command('upgrade', '--check');
        assert.ok(plan['outcome'] === 'migrates' || plan['outcome'] === 'up_to_date');
        await fixture.command('migrate');
        assert.deepEqual((await fixture.command('audit'))['violations'], []);
        assert.equal((await fixture.command('upgrade', '--check'))['outcome'], 'up_to_date');

        // Without a worker first, so that nothing changes while it is asked.
        const api = await fixture.serve({ role: 'api' });
        const asking = createApiClient(api.url);
        await assertAnswersAsBefore(asking, kept);
        asking.close();
        assert.equal(await api.stop(), 0);

        const service = await fixture.serve();
        const client = createApiClient(service.url);
        await assertWorkGoesOn(client, kept);
        client.close();
        // All credits reserved for unfinished work were charged, and nothing else.
        const { granted, available, reserved, spent } = creditsIn(kept);
        const expected = { granted, available, reserved: 0, spent: spent + reserved };
        assert.deepEqual(await fixture.balance(kept.accountId), expected);
        assert.equal(await service.stop(), 0);
        assert.deepEqual((await fixture.command('audit'))['violations'], []);
      });
    });
  }
}
