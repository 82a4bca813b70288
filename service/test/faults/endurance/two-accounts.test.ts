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
import { createDice, type Dice } from './dice.ts';
import { databasePlaces } from './database-places.ts';
import { openAccount, type OpenedAccount } from './open-account.ts';
import { openHouse } from './open-house.ts';
import { runCommand } from './run-command.ts';
import { serve, type Serving } from './serve.ts';

const clientsOfEach = 8;

/** One of the two: all that is its own carries its canary. */
type Tenant = OpenedAccount & { canary: string; taskIds: string[]; answers: Answered[]; dice: Dice };

for (const { name, settings } of databasePlaces) {
  // Durable commits over a socket, one test among many on the machine: fewer of them say the same.
  const requests = name === 'SQLite' ? 5_000 : 2_500;
  test(`two accounts, ${requests} interleaved requests on ${name}: not one byte of the other's`, async (t) => {
    const { home, close } = await openHouse(await settings());
    const started: Serving[] = [];
    t.after(async () => {
      await Promise.all(started.map((one) => one.kill()));
      await close();
    });
    const names = ['heron', 'stork'];
    const [heron, stork] = await Promise.all(
      names.map(async (canary, n): Promise<Tenant> => {
        const account = await openAccount(home, { name: canary, credits: 100_000 });
        return { ...account, canary, taskIds: [], answers: [], dice: createDice(n + 1) };
      }),
    );
    assert.ok(heron !== undefined && stork !== undefined);
    const serving = await serve(home);
    started.push(serving);
    const caller = createApiClient(serving.url);
    const startedAt = performance.now();
    let left = requests;
    const beClient = async (tenant: Tenant) => {
      for (let number = left--; number > 0; number = left--) await act(caller, tenant, number);
    };
    await Promise.all(Array.from({ length: clientsOfEach }, () => [beClient(heron), beClient(stork)]).flat());
    t.diagnostic(`${requests} requests in ${Math.round(performance.now() - startedAt)} ms`);
    expectNothingOf(heron, stork);
    expectNothingOf(stork, heron);
    await expectOwnKeys(caller, [heron, stork]);
    await expectNoDoor(caller, { tenant: heron, other: stork });
    await expectNoDoor(caller, { tenant: stork, other: heron });
    assert.deepEqual((await runCommand(['audit'], home))['violations'], []);
    caller.close();
  });
}

const domains = ['catchall.test', 'strict.test', 'nullmx.test', 'blocked.test', 'servfail.test'] as const;

async function act(caller: ApiClient, tenant: Tenant, number: number): Promise<void> {
  const answer = await caller.ask(nextCall(tenant, number));
  tenant.answers.push(answer);
  if (answer.status === 201) tenant.taskIds.push(String(answer.body['task_id']));
}

function nextCall(tenant: Tenant, number: number): Call {
  const { dice, canary, taskIds } = tenant;
  const key = dice.chance(0.9) ? tenant.liveKey : tenant.testKey;
  const address = (n: number) => `${canary}.${number}.${n}@${dice.oneOf(domains)}`;
  // The two accounts use the same keys, each for itself.
  const headers = dice.chance(0.3) ? { 'idempotency-key': `key-${dice.below(200)}` } : {};
  const throwOf = dice.below(100);
  if (throwOf < 50)
    return {
      path: `${singlePath}${dice.oneOf(['', '?explain=true'])}`,
      key,
      headers,
      body: { email: address(0) },
    };
  if (throwOf < 65) {
    const emails = Array.from({ length: 1 + dice.below(4) }, (_, n) => address(n));
    return {
      path: bulkPath,
      key,
      headers,
      body: { emails: [...emails, `${canary} no address`], name: canary },
    };
  }
  const taskId = taskIds[dice.below(taskIds.length)] ?? randomUUID();
  return { method: 'GET', path: `${bulkPath}/${taskId}${dice.oneOf(['', '?explain=true'])}`, key };
}

/** Neither the other's addresses and task names, nor its account, keys and tasks. */
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

/** The same request under the same `Idempotency-Key` is another request when another account sends it. */
async function expectOwnKeys(caller: ApiClient, tenants: Tenant[]): Promise<void> {
  const headers = { 'idempotency-key': 'everybody-has-this' };
  const body = { emails: ['somebody@nullmx.test'] };
  for (let repeat = 0; repeat < 2; repeat += 1) {
    const answers = await Promise.all(
      tenants.map(({ liveKey }) => caller.ask({ path: bulkPath, key: liveKey, headers, body })),
    );
    assert.deepEqual(
      answers.map(({ status }) => status),
      [201, 201],
    );
    assert.equal(new Set(answers.map((answer) => answer.body['task_id'])).size, 2);
  }
}

/** The other's task cannot be told from one that never was. */
async function expectNoDoor(
  caller: ApiClient,
  { tenant, other }: { tenant: Tenant; other: Tenant },
): Promise<void> {
  assert.ok(other.taskIds.length > 100);
  const read = async (taskId: string) =>
    caller.ask({ method: 'GET', path: `${bulkPath}/${taskId}`, key: tenant.liveKey });
  const stranger = await read(randomUUID());
  assert.equal(stranger.status, 404);
  for (const taskId of other.taskIds) {
    const answer = await read(taskId);
    assert.deepEqual([answer.status, withoutIds(answer)], [404, withoutIds(stranger)]);
  }
}

/** Of two answers to different requests, the request's id and the time differ. */
function withoutIds({ bytes }: Answered): string {
  return bytes.replace(/(x-request-id|date)\n[^\n]*/gi, '$1');
}
