import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import type {
  AdminRequestTrace,
  AuditLogPage,
  CreatedKey,
  LedgerPage,
  ServiceHealth,
  TaskPage,
} from '@mailproof/client';
import { oneDatabase } from '../../../../test/support/databases.ts';
import {
  noRequest,
  openOperatorFixture,
  type OperatorFixture,
} from '../../../../test/support/http/open-operator-fixture.ts';

for (const database of oneDatabase) {
  describe(`what the operator looks at on ${database.name}`, () => {
    let fixture: OperatorFixture;
    before(async () => {
      fixture = await openOperatorFixture(database);
    });
    after(() => fixture.close());

    test('what the holder of a key changes stands in the log under the key', async () => {
      const { live, accountId } = fixture.ours;
      const keysUrl = '/api/v1/account/keys';
      const made = await fixture.ask({ method: 'POST', url: keysUrl, key: live, body: {} });
      const { key_id } = made.json<CreatedKey>();
      await fixture.ask({ method: 'PATCH', url: `${keysUrl}/${key_id}`, key: live, body: { name: 'x' } });
      await fixture.ask({ method: 'DELETE', url: `${keysUrl}/${key_id}`, key: live });
      const { entries } = await fixture.read<AuditLogPage>('/audit-log?limit=3');
      const by = { actor: `key:${live.keyId}`, subject: key_id };
      assert.deepEqual(
        entries.map(({ actor, action, subject, detail }) => ({ actor, action, subject, detail })),
        [
          { ...by, action: 'key_deleted', detail: { account_id: accountId } },
          { ...by, action: 'key_renamed', detail: { account_id: accountId, name: 'x' } },
          { ...by, action: 'key_created', detail: { account_id: accountId, mode: 'live' } },
        ],
      );
    });

    test('a name that does not rest has nothing to end, and nothing is written down', async () => {
      const call = { method: 'POST', url: '/rests/end', body: { name: 'nowhere.example' } } as const;
      const before = await fixture.newest();
      assert.deepEqual(await fixture.change(call, 200), { ended: [] });
      assert.deepEqual(await fixture.newest(), before);
    });

    test('ledger and tasks are those that the account itself sees', async () => {
      const { live, accountId } = fixture.ours;
      for (const emails of [['a@example.com', 'nonsense'], ['b@example.com']])
        await fixture.ask({
          method: 'POST',
          url: '/api/v1/bulk-email-verification',
          key: live,
          body: { emails },
        });
      for (const list of ['ledger?limit=2', 'tasks?limit=1']) {
        const own = (await fixture.ask({ url: `/api/v1/account/${list}`, key: live })).json<
          LedgerPage | TaskPage
        >();
        assert.deepEqual(await fixture.read(`/accounts/${accountId}/${list}`), own);
        const more = `${list}&before=${own.next}`;
        const ownMore = await fixture.ask({ url: `/api/v1/account/${more}`, key: live });
        assert.deepEqual(await fixture.read(`/accounts/${accountId}/${more}`), ownMore.json());
      }
    });

    test('a request is found by its id, with what it cost and the task it made, and no address', async () => {
      fixture.time.advance(1);
      const created = await fixture.ask({
        method: 'POST',
        url: '/api/v1/bulk-email-verification',
        key: fixture.ours.live,
        body: { emails: ['secret@example.com', 'SECRET@example.com', 'nonsense'] },
      });
      const requestId = String(created.headers['x-request-id']);
      const trace = await fixture.read<AdminRequestTrace>(`/requests/${requestId.toUpperCase()}`);
      const { tasks } = await fixture.read<TaskPage>(`/accounts/${fixture.ours.accountId}/tasks?limit=1`);
      assert.deepEqual(trace, {
        request_id: requestId,
        account_id: fixture.ours.accountId,
        kind: 'task',
        at: new Date(fixture.time.wallClock.now()).toISOString(),
        credits: { reserved: 3, charged: 0, released: 2 },
        task: tasks[0],
      });
      assert.doesNotMatch(JSON.stringify(trace), /secret/i);
      for (const id of [noRequest, 'x', "'", '%00', `${requestId}:returned`, '%F0%9F%98%80'])
        await fixture.refused({ url: `/requests/${id}` }, [404, 'request_not_found']);
    });

    test('health tells of the engine, the queue and the processes', async () => {
      const health = await fixture.read<ServiceHealth>('/health?hours=1');
      const in_ = (ms: number) =>
        new Date(fixture.time.wallClock.now() - fixture.time.now() + ms).toISOString();
      assert.deepEqual(health.resting, [
        { kind: 'address', name: '192.0.2.1', until: in_(90_000), reason: 'timeout' },
        { kind: 'provider', name: 'google', until: in_(60_000), reason: 'rate_limited' },
        { kind: 'host', name: 'mx.example', until: in_(30_000), reason: 'unreachable' },
      ]);
      assert.deepEqual(health.engine, {
        dns_queries: 4,
        dialled: 3,
        forbidden: 2,
        breaches: 0,
        conversations_open: 2,
        conversations_waiting: 1,
        mail_port_problem: 'outbound port 25 is blocked',
        identity_problem: 'public mail hosts are not asked: the HELO name is not ours',
        reputation_problem: null,
        resolver_problem:
          'the resolver denies what is known to exist (example.com); set MAILPROOF_DNS_SERVERS to a resolver of the public DNS, or MAILPROOF_RESOLVER_PROBES to names of this network',
        control_problem: 'google: control mailboxes are rejected, so "no such mailbox" is not believed',
      });
      assert.equal(health.proxy_problem, null);
      assert.equal(health.verdicts.length, 60);
      const { tasks } = await fixture.read<TaskPage>(`/accounts/${fixture.ours.accountId}/tasks?limit=100`);
      const waiting = tasks.filter(({ status }) => status === 'waiting');
      assert.deepEqual(health.queue, {
        waiting: waiting.length,
        running: 0,
        oldest_waiting_at: waiting.at(-1)?.created_at,
      });
      assert.deepEqual(
        health.processes.map(({ role }) => role),
        ['all'],
      );
      assert.equal((await fixture.read<ServiceHealth>('/health')).verdicts.length, 96);
    });
  });
}
