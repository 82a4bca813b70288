/**
 * A resolver that denies existing names: no address is called invalid because of it, none is charged, and the
 * operator is told.
 */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { startServiceInWorld, type RunningService } from './running-service.ts';

let service: RunningService;
before(async () => {
  const settings = { MAILPROOF_TASK_DEADLINE_MS: '20000' };
  service = await startServiceInWorld({ denyAllNames: true, settings });
});
after(() => service.stop());

const readyz = () => service.client.ask({ method: 'GET', path: '/readyz' }, { insist: false });

test('while it denies what exists: 502, nothing charged, not ready, and one line in the log', async () => {
  const before_ = await service.balance(service.first);
  for (const email of ['x@gmail.com', 'alive@plain.test', 'x@nxdomain.test']) {
    const { status, headers, body } = await service.client.verify(service.first.key, email);
    assert.deepEqual([status, body['reason']], [502, 'verification_unavailable'], email);
    assert.equal(headers['x-credits-used'], '0');
  }
  assert.deepEqual(await service.balance(service.first), before_);
  const { status, body } = await readyz();
  assert.equal(status, 503);
  assert.match(JSON.stringify(body), /the resolver denies what is known to exist .*MAILPROOF_DNS_SERVERS/);
  assert.equal(service.process.stdout().match(/the resolver denies/g)?.length, 1);
});

test('in a task such an address waits; if the deadline comes first it is unknown, free of charge', async () => {
  const emails = ['x@gmail.com', 'alive@plain.test'];
  const created = await service.client.createTask(service.first.key, { emails });
  const { body } = await service.client.readTaskUntil(service.first.key, created.body['task_id']);
  assert.equal(JSON.stringify(body['results']).match(/"status":"unknown"/g)?.length, 2);
  const { granted, available } = await service.balance(service.first);
  assert.equal(available, granted);
});

test('a restart beside a resolver that tells the truth is ready, and the dead are dead', async () => {
  service.world.denyAllNames(false);
  await service.restart();
  assert.equal((await readyz()).status, 200);
  const { status, body } = await service.client.verify(service.first.key, 'x@nxdomain.test');
  assert.deepEqual([status, body['status']], [200, 'invalid']);
});
