/**
 * A resolver that turns while the service runs: first it tells the truth, then it denies every name. No living
 * address is called invalid, none is charged, the operator is told, and everything is found after it recovers.
 */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { WorldDescription } from '@mailproof/world';
import { createApiClient, listsPath, type Call } from '../support/api-client.ts';
import { until } from '../support/until.ts';
import { startServiceInWorld, type Account, type RunningService } from './running-service.ts';

const domains = Array.from({ length: 100 }, (_, number) => `d${number}.turning.test`);
const people = Array.from({ length: 20 }, (_, number) => `person${number}`);
const living = domains.flatMap((domain) => people.map((person) => `${person}@${domain}`));
const mailboxes = Object.fromEntries(people.map((person) => [person, 'exists' as const]));
/** Verified by single requests, after which their domains are known. */
const known = Array.from({ length: 4 }, (_, number) => `s${number}.known.test`);
const places: WorldDescription = {
  zones: Object.fromEntries([...domains, ...known].map((domain) => [domain, { mx: [[10, `mx.${domain}`]] }])),
  hosts: Object.fromEntries([...domains, ...known].map((domain) => [`mx.${domain}`, { mailboxes }])),
};

let service: RunningService;
let account: Account;
before(async () => {
  service = await startServiceInWorld({ places });
  account = await service.openAccount({ credits: 5_000 });
});
after(() => service.stop());

const readyz = () => service.client.ask({ method: 'GET', path: '/readyz' }, { insist: false });
const statusOf = async (email: string) => {
  const { status, body } = await service.client.verify(account.key, email);
  return [status, body['status'] === 'error' ? body['reason'] : body['status']];
};

test('while it tells the truth the dead are dead, and it is asked for a name that must exist after each denial', async () => {
  service.world.reset();
  assert.deepEqual(await statusOf('x@gone.test'), [200, 'invalid']);
  const asked = service.world.dnsQueries.map(({ name }) => name);
  assert.ok(asked.findIndex((name) => name.endsWith('.com')) > asked.lastIndexOf('gone.test'), asked.join());
});

test('a living domain costs two queries and no control', async () => {
  service.world.reset();
  assert.deepEqual(await statusOf('person0@s0.known.test'), [200, 'safe']);
  const asked = service.world.dnsQueries.filter(({ name }) => name.endsWith('known.test'));
  assert.equal(asked.length, 2);
});

for (const how of ['no_such_name', 'no_data', 'null_address'] as const) {
  test(`${how} of everything: 502 for a single, free of charge, and not ready`, async () => {
    const before_ = await service.balance(account);
    service.world.turnResolver(how);
    const number = ['no_such_name', 'no_data', 'null_address'].indexOf(how);
    for (const email of [`person1@s${number + 1}.known.test`, `x@gone-${how.replaceAll('_', '-')}.test`])
      assert.deepEqual(await statusOf(email), [502, 'verification_unavailable'], email);
    assert.deepEqual(await service.balance(account), before_);
    const { status, body } = await until(readyz, (answer) => answer.status !== 200);
    assert.equal(status, 503);
    assert.match(JSON.stringify(body), /denies what is known to exist .*MAILPROOF_DNS_SERVERS/);
    service.world.turnResolver('truthful');
    await until(readyz, (answer) => answer.status === 200);
    assert.deepEqual(await statusOf(`person1@s${number + 1}.known.test`), [200, 'safe'], 'it lives');
  });
}

test('a list of 2,000 living addresses and a task wait, uncharged, and all are found living after it recovers', async () => {
  const { spent } = await service.balance(account);
  service.world.turnResolver('no_such_name');
  service.world.reset();
  const startedAt = performance.now();
  const list = await startList();
  const task = await service.client.createdTask(account.key, [
    'person2@d90.turning.test',
    'person3@d91.turning.test',
  ]);
  const asked = () => new Set(service.world.dnsQueries.map(({ name }) => name));
  await until(asked, (names) => domains.every((domain) => names.has(domain)));
  await until(list.read, ({ waiting }) => Number(waiting) > 0);
  const seconds = (performance.now() - startedAt) / 1_000;
  const stuck = await list.read();
  assert.deepEqual([stuck['by_status'], stuck['credits_used'], stuck['state']], [{}, 0, 'running']);
  const held = await service.client.readTask(account.key, task);
  assert.notEqual(held.body['status'], 'completed');
  assert.equal((await service.balance(account)).spent, spent, 'nothing is charged');
  const controls = service.world.dnsQueries.filter(
    ({ name }) => name.endsWith('.com') || !name.endsWith('.test'),
  );
  assert.ok(controls.length < 2 * (seconds + 2), `${controls.length} in ${seconds} s`);
  assert.equal((await readyz()).status, 503);

  service.world.turnResolver('truthful');
  const done = await until(list.read, ({ state }) => state === 'completed');
  assert.deepEqual([done['by_status'], done['credits_used']], [{ safe: living.length }, living.length]);
  const results = await service.client.results(account.key, task);
  assert.deepEqual(
    Object.values(results).map(({ status }) => status),
    ['safe', 'safe'],
  );
  assert.equal((await readyz()).status, 200);
});

async function startList() {
  const { key } = account;
  // Lists are not in the contract that the other client holds every answer to.
  const client = createApiClient(service.url);
  after(() => client.close());
  const ask = async (call: Call, status: number) => {
    const answer = await client.ask({ ...call, key });
    assert.equal(answer.status, status, answer.text);
    return answer.body;
  };
  const body = `email\n${living.join('\n')}\n`;
  const headers = { 'content-type': 'text/csv' };
  const uploaded = await ask({ path: `${listsPath}?name=living`, headers, body }, 201);
  const path = `${listsPath}/${String(uploaded['list_id'])}`;
  await ask({ path: `${path}/start`, body: {} }, 202);
  return { read: () => ask({ method: 'GET', path }, 200) };
}
