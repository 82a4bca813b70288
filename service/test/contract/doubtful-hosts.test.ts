/** A task and a list over every doubtful place: no conclusive verdict contradicts the truth, and none is charged wrongly. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { doubtfulCrowds } from '@mailproof/world';
import { createApiClient, listsPath, type ApiClient } from '../support/api-client.ts';
import { until } from '../support/until.ts';
import { startServiceInWorld, type RunningService } from './running-service.ts';

const crowds = doubtfulCrowds.filter(({ domain }) => !domain.startsWith('loses-'));
const people = crowds.flatMap((crowd) => crowd.people);
/** A task takes 100 addresses. */
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
  const { key } = service.first;
  const file = ['email', ...people.map(({ address }) => address), ''].join('\n');
  const headers = { 'content-type': 'text/csv' };
  const created = await client.ask({ path: `${listsPath}?name=doubtful`, key, body: file, headers });
  assert.equal(created.status, 201, created.text);
  const path = `${listsPath}/${String(created.body['list_id'])}`;
  assert.equal((await client.ask({ path: `${path}/start`, key, body: {} })).status, 202);
  await until(
    () => client.ask({ method: 'GET', path, key }),
    ({ body }) => body['state'] === 'completed',
  );
  const { text } = await client.ask({ method: 'GET', path: `${path}/download?format=csv`, key });
  const [heading = '', ...rows] = text.trim().split(/\r?\n/);
  const column = heading.split(',').indexOf('email_status');
  const seen = new Map(rows.map((row) => [row.split(',')[0], row.split(',')[column]]));
  assert.deepEqual(
    contradictions(people, (address) => seen.get(address)),
    [],
  );
});
