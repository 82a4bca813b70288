import assert from 'node:assert/strict';
import { afterEach, test } from 'node:test';
import { createClient } from './create-client.ts';
import { systemParts } from './exchange.ts';
import { MailproofError } from './mailproof-error.ts';
import { startStandIn, type Fault } from '../test/support/start-stand-in.ts';

/** The service's own tests (account-client.test.ts) check the calls against the service itself. */
const endings: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const end of endings.splice(0)) await end();
});

async function start(faults: Fault[]) {
  const standIn = await startStandIn({ faultOf: ({ number }) => faults[number - 1] ?? 'none' });
  endings.push(() => standIn.stop());
  const parts = { ...systemParts, wait: () => Promise.resolve() };
  return { standIn, client: createClient({ baseUrl: standIn.url, apiKey: standIn.apiKey }, parts) };
}

/** The stand-in has no account, so a call that reaches it ends with `not_found`. */
const reasonOf = (call: Promise<unknown>) =>
  call.then(
    () => 'answered',
    (error: unknown) => (error instanceof MailproofError ? error.reason : String(error)),
  );

test('reading and naming are asked for again where the answer was lost', async () => {
  const { client, standIn } = await start(['lose_answer', 'lose_request', 'none', 'lose_answer']);
  assert.equal(await reasonOf(client.ledger()), 'not_found');
  assert.equal(standIn.counts.requests, 3);
  assert.equal(await reasonOf(client.keys.rename('x', 'name')), 'not_found');
  assert.equal(standIn.counts.requests, 5);
});

test('creating and deleting a key are not: it may have been done', async () => {
  const { client, standIn } = await start(['lose_answer', 'lose_answer']);
  assert.equal(await reasonOf(client.keys.create()), 'network_error');
  assert.equal(await reasonOf(client.keys.delete('x')), 'network_error');
  assert.equal(standIn.counts.requests, 2);
});

test('refused before any work, everything is asked for again', async () => {
  const { client, standIn } = await start(['refuse', 'none', 'refuse']);
  assert.equal(await reasonOf(client.keys.create()), 'not_found');
  assert.equal(await reasonOf(client.keys.delete('x')), 'not_found');
  assert.equal(standIn.counts.requests, 4);
});

test('an answer that is not ours is none', async () => {
  for (const body of ['{}', '[]', 'null', '<html>', '{"entries":{}}']) {
    const fetch = () =>
      Promise.resolve({ status: 200, headers: new Headers(), text: () => Promise.resolve(body) });
    const client = createClient({ baseUrl: 'http://mail.example', apiKey: 'k', fetch });
    for (const call of [client.ledger(), client.account(), client.keys.list(), client.keys.create()])
      assert.equal(await reasonOf(call), 'unexpected_answer', body);
  }
});
