import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { test } from 'node:test';
import {
  type Answered,
  type ApiClient,
  bulkPath,
  type Call,
  createApiClient,
  singlePath,
} from '../../support/api-client.ts';
import { createRandom, type Random } from '../../support/random.ts';
import type { OpenedAccount } from '../../support/open-fixture.ts';
import { openLoadFixture } from './load-world.ts';

const clientsOfEach = 8;

/** One of the two accounts: everything of its own contains its canary. */
type Tenant = OpenedAccount & { canary: string; taskIds: string[]; answers: Answered[]; random: Random };

for (const database of ['SQLite', 'PostgreSQL'] as const) {
  // Durable commits over a socket, on a busy machine: fewer requests prove the same.
  const requests = database === 'SQLite' ? 5_000 : 2_500;
  test(`two accounts, ${requests} interleaved requests on ${database}: not one byte of the other's`, async (t) => {
    const fixture = await openLoadFixture({ database });
    t.after(() => fixture.close());
    const openTenant = async (canary: string, seed: number): Promise<Tenant> => {
      const account = await fixture.openAccount({ name: canary, credits: 100_000 });
      return { ...account, canary, taskIds: [], answers: [], random: createRandom(seed) };
    };
    const heron = await openTenant('heron', 1);
    const stork = await openTenant('stork', 2);
    const client = createApiClient((await fixture.serve()).url);
    const startedAt = performance.now();
    let left = requests;
    const beClient = async (tenant: Tenant) => {
      for (let number = left--; number > 0; number = left--) await act(client, tenant, number);
    };
    await Promise.all(Array.from({ length: clientsOfEach }, () => [beClient(heron), beClient(stork)]).flat());
    t.diagnostic(`${requests} requests in ${Math.round(performance.now() - startedAt)} ms`);
    expectNothingOf(heron, stork);
    expectNothingOf(stork, heron);
    await expectOwnKeys(client, [heron, stork]);
    await expectNoAccess(client, { tenant: heron, other: stork });
    await expectNoAccess(client, { tenant: stork, other: heron });
    assert.deepEqual((await fixture.command('audit'))['violations'], []);
    client.close();
  });
}

const domains = ['catchall.test', 'strict.test', 'nullmx.test', 'blocked.test', 'servfail.test'] as const;

async function act(client: ApiClient, tenant: Tenant, number: number): Promise<void> {
  const answer = await client.ask(nextCall(tenant, number));
  tenant.answers.push(answer);
  if (answer.status === 201) tenant.taskIds.push(String(answer.body['task_id']));
}

function nextCall(tenant: Tenant, number: number): Call {
  const { random, canary, taskIds } = tenant;
  const key = random.chance(0.9) ? tenant.liveKey : tenant.testKey;
  const address = (n: number) => `${canary}.${number}.${n}@${random.oneOf(domains)}`;
  // The two accounts use the same keys independently.
  const headers = random.chance(0.3) ? { 'idempotency-key': `key-${random.below(200)}` } : {};
  const throwOf = random.below(100);
  if (throwOf < 50)
    return {
      path: `${singlePath}${random.oneOf(['', '?explain=true'])}`,
      key,
      headers,
      body: { email: address(0) },
    };
  if (throwOf < 65) {
    const emails = Array.from({ length: 1 + random.below(4) }, (_, n) => address(n));
    return {
      path: bulkPath,
      key,
      headers,
      body: { emails: [...emails, `${canary} no address`], name: canary },
    };
  }
  const taskId = taskIds[random.below(taskIds.length)] ?? randomUUID();
  return { method: 'GET', path: `${bulkPath}/${taskId}${random.oneOf(['', '?explain=true'])}`, key };
}

/** Expects neither the other's addresses and task names, nor its account, keys and tasks. */
function expectNothingOf(other: Tenant, tenant: Tenant): void {
  const own = tenant.answers.filter(({ bytes }) => bytes.includes(tenant.canary));
  assert.ok(own.length > tenant.answers.length / 4, 'answers do carry canaries');
  const taskIds = new Set(other.taskIds);
  const publicIds = [other.liveKey, other.testKey].map((key) =>
    key.slice('mp_live_'.length, 'mp_live_'.length + 8),
  );
  for (const { bytes } of tenant.answers) {
    for (const secret of [other.canary, other.accountId, ...publicIds])
      assert.ok(!bytes.toLowerCase().includes(secret.toLowerCase()), bytes);
    for (const [uuid] of bytes.matchAll(/[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}/g))
      assert.ok(!taskIds.has(uuid), bytes);
  }
}

/** Expects that the same request under the same `Idempotency-Key` is a different one for another account. */
async function expectOwnKeys(client: ApiClient, tenants: Tenant[]): Promise<void> {
  const headers = { 'idempotency-key': 'everybody-has-this' };
  const body = { emails: ['somebody@nullmx.test'] };
  for (let repeat = 0; repeat < 2; repeat += 1) {
    const answers = await Promise.all(
      tenants.map(({ liveKey }) => client.ask({ path: bulkPath, key: liveKey, headers, body })),
    );
    assert.deepEqual(
      answers.map(({ status }) => status),
      [201, 201],
    );
    assert.equal(new Set(answers.map((answer) => answer.body['task_id'])).size, 2);
  }
}

/** Expects that another account's task looks like one that never existed. */
async function expectNoAccess(
  client: ApiClient,
  { tenant, other }: { tenant: Tenant; other: Tenant },
): Promise<void> {
  assert.ok(other.taskIds.length > 100);
  const read = async (taskId: string) =>
    client.ask({ method: 'GET', path: `${bulkPath}/${taskId}`, key: tenant.liveKey });
  const nonexistent = await read(randomUUID());
  assert.equal(nonexistent.status, 404);
  for (const taskId of other.taskIds) {
    const answer = await read(taskId);
    assert.deepEqual([answer.status, withoutIds(answer)], [404, withoutIds(nonexistent)]);
  }
}

/** Removes the request id and the time, which differ between answers. */
function withoutIds({ bytes }: Answered): string {
  return bytes.replace(/(x-request-id|date)\n[^\n]*/gi, '$1');
}
