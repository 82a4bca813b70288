import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { createAdminClient, MailproofError, type AdminClient } from '@mailproof/client';
import { oneDatabase } from '../../../test/support/databases.ts';
import { addProber } from '../../features/probers/prober-records.ts';
import {
  adminToken,
  openHttpFixture,
  type HttpFixture,
} from '../../../test/support/http/open-http-fixture.ts';

/** The client's calls for the operator, against the service itself. */
let fixture: HttpFixture;
let baseUrl: string;
let client: AdminClient;
before(async () => {
  const [database] = oneDatabase;
  assert.ok(database !== undefined);
  fixture = await openHttpFixture(database);
  baseUrl = await fixture.server.listen({ host: '127.0.0.1', port: 0 });
  client = createAdminClient({ baseUrl, token: adminToken });
});
after(() => fixture.close());

test('accounts are made, found, given a plan and credits', async () => {
  const made = await client.accounts.create({ name: 'Example & Söhne', credits: 5 });
  const { accounts } = await client.accounts.list({ search: '& Sö', limit: 1 });
  assert.deepEqual(accounts, [made]);
  const id = made.account_id;
  assert.equal((await client.accounts.setPlan(id, 'none')).plan, 'none');
  const grant = () => client.accounts.grant(id, 10, { idempotencyKey: 'once' });
  assert.deepEqual([(await grant()).credits.granted, (await grant()).credits.granted], [15, 15]);
  assert.equal((await client.accounts.get(id)).credits.available, 15);
  assert.equal((await client.accounts.unfreeze(id, 'never was frozen')).frozen, false);
  const { entries } = await client.accounts.ledger(id);
  assert.deepEqual(
    entries.map(({ credits }) => credits),
    [10, 5],
  );
  assert.deepEqual(await client.accounts.tasks(id), { tasks: [], next: null });
});

test('keys are made and deleted; health, requests and the log are read', async () => {
  const { accountId } = fixture.theirs;
  const key = await client.keys.create(accountId, { mode: 'test' });
  await client.keys.delete(accountId, key.key_id);
  const { keys } = await client.keys.list(accountId);
  assert.ok(!keys.some(({ key_id }) => key_id === key.key_id));
  const { entries, next } = await client.auditLog({ limit: 2 });
  assert.deepEqual(
    entries.map(({ action, subject }) => [action, subject]),
    [
      ['key_deleted', key.key_id],
      ['key_created', key.key_id],
    ],
  );
  assert.equal((await client.auditLog({ before: next ?? '', limit: 1 })).entries.length, 1);
  assert.equal((await client.health({ hours: 1 })).verdicts.length, 60);
  await assert.rejects(client.findRequest('x/y'), isRefusal('request_not_found'));
});

test('a prober is shown with the share and the egress addresses that the operator gave it', async () => {
  const parts = { store: fixture.store, wallClock: fixture.time.wallClock, actor: 'operator' as const };
  await addProber('cloud', parts, { egress: ['second', 'default'], share: 25 });
  const { probers } = await client.probers();
  assert.deepEqual(
    probers.map(({ name, share, egress_given, egress, egress_ignored }) => [
      name,
      share,
      egress_given,
      egress,
      egress_ignored,
    ]),
    [['cloud', 25, ['default', 'second'], [], []]],
  );
});

test('a wrong token is told by its reason, and is in no message', async () => {
  const intruder = createAdminClient({ baseUrl, token: 'a-wrong-token' });
  await assert.rejects(
    intruder.accounts.list(),
    (error) => isRefusal('invalid_admin_token')(error) && !JSON.stringify(error).includes('wrong'),
  );
  assert.throws(() => createAdminClient({ baseUrl, token: 'two words' }), TypeError);
});

function isRefusal(reason: string) {
  return (error: unknown) => error instanceof MailproofError && error.reason === reason;
}
