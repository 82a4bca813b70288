import assert from 'node:assert/strict';
import { type Answered, type ApiClient, bulkPath, createApiClient } from '../../support/api-client.ts';
import { openLoadFixture } from './load-world.ts';

/** Rounds of identical creations of a task, all at once and with one `Idempotency-Key`: each round makes one task. */
type TwinReport = { rounds: number; requests: number; tasks: number; inProgress: number; ms: number };

const twins = 20;
const addresses = 2;

/** Throws if a round made two tasks, or one was charged twice. */
export async function runTwinRounds(
  rounds: number,
  database: 'SQLite' | 'PostgreSQL' = 'SQLite',
): Promise<TwinReport> {
  const fixture = await openLoadFixture({ database });
  const credits = rounds * addresses;
  const { accountId, liveKey } = await fixture.openAccount({ name: 'twins', credits });
  const client = createApiClient((await fixture.serve()).url);
  try {
    const startedAt = performance.now();
    const taskIds: string[] = [];
    let inProgress = 0;
    for (let round = 0; round < rounds; round += 1) {
      const answers = await createTwins(client, liveKey, round);
      taskIds.push(taskOf(answers));
      inProgress += answers.filter(({ status }) => status === 409).length;
    }
    const ms = Math.round(performance.now() - startedAt);
    await expectMismatch(client, liveKey);
    assert.equal(new Set(taskIds).size, rounds);
    for (const taskId of taskIds)
      assert.equal((await client.readTaskUntil(liveKey, taskId)).creditsUsed, String(addresses));
    const books = { granted: credits, available: 0, reserved: 0, spent: credits };
    assert.deepEqual(await fixture.balance(accountId), books);
    assert.deepEqual(await fixture.command('audit'), { accounts: 1, tasks: rounds, violations: [] });
    return { rounds, requests: rounds * twins, tasks: taskIds.length, inProgress, ms };
  } finally {
    client.close();
    await fixture.close();
  }
}

function createTwins(client: ApiClient, key: string, round: number): Promise<Answered[]> {
  const emails = Array.from({ length: addresses }, (_, n) => `r${round}n${n}@nullmx.test`);
  return Promise.all(Array.from({ length: twins }, () => client.ask(creation({ key, round, emails }))));
}

function creation({ key, round, emails }: { key: string; round: number; emails: string[] }) {
  return { path: bulkPath, key, body: { emails }, headers: { 'idempotency-key': `round-${round}` } };
}

/** Returns the one task of the answers: replays byte for byte, or refusals because it is in progress. */
function taskOf(answers: Answered[]): string {
  const created = answers.filter(({ status }) => status === 201);
  const kinds = new Set(created.map(({ text, creditsUsed }) => `${creditsUsed} ${text}`));
  const others = answers.filter(({ status }) => status !== 201 && status !== 409);
  const [first] = created;
  assert.ok(first !== undefined && kinds.size === 1 && others.length === 0, JSON.stringify(answers));
  return String(first.body['task_id']);
}

async function expectMismatch(client: ApiClient, key: string): Promise<void> {
  const answer = await client.ask(creation({ key, round: 0, emails: ['other@nullmx.test'] }));
  assert.deepEqual([answer.status, answer.body['reason']], [422, 'idempotency_mismatch']);
}
