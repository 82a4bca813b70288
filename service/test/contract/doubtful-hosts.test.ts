/**
 * A task and a list over every doubtful mail host: no conclusive verdict contradicts the truth, and none is charged
 * wrongly.
 */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { doubtfulCrowds } from '@mailproof/world';
import { createApiClient, type ApiClient } from '../support/api-client.ts';
import { runList } from '../support/run-list.ts';
import { startServiceInWorld, type RunningService } from './running-service.ts';

const crowds = doubtfulCrowds.filter(({ domain }) => !domain.startsWith('loses-'));
const people = crowds.flatMap((crowd) => crowd.people);
/** A task has at most 100 addresses. */
const few = crowds.flatMap((crowd) => crowd.people.slice(0, 4));

let service: RunningService;
let client: ApiClient;
before(async () => {
  const places = {
    zones: Object.fromEntries(crowds.flatMap(({ world }) => Object.entries(world.zones))),
    hosts: Object.fromEntries(crowds.flatMap(({ world }) => Object.entries(world.hosts))),
  };
  const settings = { MAILPROOF_TASK_DEADLINE_MS: '15000', MAILPROOF_LIST_DEADLINE_MS: '15000' };
  service = await startServiceInWorld({ places, settings });
  client = createApiClient(service.url);
});
after(async () => {
  client.close();
  await service.stop();
});

/** Returns the addresses whose verdict is conclusive and not true. */
function contradictions(asked: typeof people, statusOf: (address: string) => unknown): string[] {
  return asked.flatMap(({ address, right }) => {
    const status = statusOf(address);
    return status === 'unknown' || status === right ? [] : [`${address} ${String(status)}`];
  });
}

test('in a task', async () => {
  const { key } = service.first;
  const id = await client.createdTask(
    key,
    few.map(({ address }) => address),
  );
  const results = await client.results(key, id);
  assert.deepEqual(
    contradictions(few, (address) => results[address]?.status),
    [],
  );
});

test('in a list', async () => {
  const seen = await runList(
    client,
    service.first.key,
    people.map(({ address }) => address),
  );
  assert.deepEqual(
    contradictions(people, (address) => seen.get(address)),
    [],
  );
});
