import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { describe, it } from 'node:test';
import { createAccount } from '../../../core/keys/accounts/create-account.ts';
import { setPlan } from '../../../core/keys/accounts/set-plan.ts';
import { listChanges } from '../../operator/audit-log/list-changes.ts';
import { statement } from '../../../core/store/statement.ts';
import type { Caller } from '../../../core/keys/authenticate.ts';
import { deleteKey } from '../../../core/keys/delete-key.ts';
import { issueKey } from '../../../core/keys/issue-key.ts';
import { databases } from '../../../../test/support/databases.ts';
import { createTestClock } from '../../../../../engine/test/support/test-clock.ts';
import { createAdminToken } from '../../../core/keys/admin-token.ts';
import { createSessions, sessionLifeMs } from './create-sessions.ts';
import { eraseExpiredSessions } from './create-sessions.ts';

const everySession = statement((db) => db.selectFrom('session').selectAll().orderBy('created_at'));

for (const database of databases) {
  describe(`sessions on ${database.name}`, () => {
    async function setUp() {
      const { store, close } = await database.open();
      const time = createTestClock();
      const parts = { store, wallClock: time.wallClock, actor: 'operator' as const };
      const { accountId } = await createAccount({ name: 'tester', plan: 'paid', credits: 0 }, parts);
      const issued = await issueKey({ accountId, mode: 'live' }, parts);
      assert.ok(issued.kind === 'issued');
      const { keyId } = issued;
      const caller: Caller & { keyId: string } = { accountId, keyId, mode: 'live', plan: 'paid' };
      /** Another process over the same store, with the token it was started with. */
      const startProcess = (token?: string) =>
        createSessions({ ...parts, clock: time, adminToken: createAdminToken(token) });
      const sessions = startProcess('a token');
      return { store, close, time, parts, caller, startProcess, sessions };
    }

    it('one is found by its id in every process, with who it is and its CSRF token', async () => {
      const { sessions, startProcess, caller, close } = await setUp();
      const opened = await sessions.open({ kind: 'account', caller });
      assert.deepEqual(opened.session, { kind: 'account', caller, csrfToken: opened.session.csrfToken });
      assert.deepEqual(await sessions.find(opened.id), opened.session);
      assert.deepEqual(await startProcess().find(opened.id), opened.session);
      const other = await sessions.open({ kind: 'account', caller });
      assert.notEqual(other.id, opened.id);
      assert.notEqual(other.session.csrfToken, opened.session.csrfToken);
      await close();
    });

    it('the store holds nothing that opens one', async () => {
      const { sessions, store, caller, close } = await setUp();
      const { id, session } = await sessions.open({ kind: 'account', caller });
      const operator = await sessions.open({ kind: 'operator' });
      const rows = await store.read.all(everySession, {});
      const written = JSON.stringify(rows);
      for (const secret of [id, session.csrfToken, operator.id, operator.session.csrfToken, 'a token'])
        assert.ok(!written.includes(secret));
      assert.ok(!written.includes(createHash('sha256').update('a token').digest('hex')));
      for (const row of rows) assert.equal(await sessions.find(row.id_hash), undefined);
      await close();
    });

    it('what is no id of a session finds nothing', async () => {
      const { sessions, caller, close } = await setUp();
      const { id } = await sessions.open({ kind: 'account', caller });
      for (const wrong of [
        '',
        ' ',
        id.slice(1),
        `${id}A`,
        id.replace(/.$/, '='),
        'A'.repeat(43),
        id.toLowerCase(),
      ])
        assert.equal(await sessions.find(wrong), undefined, wrong);
      await close();
    });

    it('ends after twelve hours, and its row goes', async () => {
      const { sessions, store, caller, time, close } = await setUp();
      const { id } = await sessions.open({ kind: 'account', caller });
      time.advance(sessionLifeMs - 1_000);
      assert.notEqual(await sessions.find(id), undefined);
      assert.equal(await store.write((tx) => eraseExpiredSessions(tx, time.wallClock.now())), 0);
      time.advance(1_000);
      assert.equal(await sessions.find(id), undefined);
      assert.equal(await store.write((tx) => eraseExpiredSessions(tx, time.wallClock.now())), 1);
      assert.deepEqual(await store.read.all(everySession, {}), []);
      await close();
    });

    it('ends at sign-out: here at once, elsewhere within a second', async () => {
      const { sessions, startProcess, caller, time, close } = await setUp();
      const elsewhere = startProcess();
      const { id } = await sessions.open({ kind: 'account', caller });
      const kept = await sessions.open({ kind: 'account', caller });
      assert.ok((await sessions.find(id)) !== undefined && (await elsewhere.find(id)) !== undefined);
      await sessions.close(id);
      assert.equal(await sessions.find(id), undefined);
      time.advance(950);
      assert.equal(await elsewhere.find(id), undefined);
      assert.notEqual(await elsewhere.find(kept.id), undefined);
      await sessions.close(id);
      await close();
    });

    it('ends with its key within a second, and only those of that key', async () => {
      const { sessions, parts, caller, time, close } = await setUp();
      const another = await issueKey({ accountId: caller.accountId, mode: 'test' }, parts);
      assert.ok(another.kind === 'issued');
      const { id } = await sessions.open({ kind: 'account', caller });
      const kept = await sessions.open({
        kind: 'account',
        caller: { ...caller, keyId: another.keyId, mode: 'test' },
      });
      assert.notEqual(await sessions.find(id), undefined);
      await deleteKey({ keyId: caller.keyId }, parts);
      time.advance(950);
      assert.equal(await sessions.find(id), undefined);
      assert.notEqual(await sessions.find(kept.id), undefined);
      await close();
    });

    it('the plan is the one of now', async () => {
      const { sessions, parts, caller, time, close } = await setUp();
      const { id } = await sessions.open({ kind: 'account', caller });
      await sessions.find(id);
      await setPlan({ accountId: caller.accountId, plan: 'none' }, parts);
      time.advance(950);
      const session = await sessions.find(id);
      assert.ok(session?.kind === 'account' && session.caller.plan === 'none');
      await close();
    });

    it("the operator's ends when the token is another one or is gone", async () => {
      const { sessions, startProcess, close } = await setUp();
      const { id, session } = await sessions.open({ kind: 'operator' });
      assert.equal(session.kind, 'operator');
      assert.deepEqual(await startProcess('a token').find(id), session);
      assert.equal(await startProcess('another token').find(id), undefined);
      assert.equal(await startProcess().find(id), undefined);
      await close();
    });

    it("the operator's coming in is written down, the holder of a key's is not", async () => {
      const { sessions, store, caller, time, close } = await setUp();
      await sessions.open({ kind: 'account', caller });
      await sessions.open({ kind: 'operator' });
      const cameIn = (await listChanges({ limit: 100 }, { store })).filter(
        ({ action }) => action === 'operator_signed_in',
      );
      assert.deepEqual(
        cameIn.map(({ actor, subject, at }) => [actor, subject, at]),
        [['operator', 'operator', time.wallClock.now()]],
      );
      await close();
    });

    it('a key that opens more than a hundred ends its oldest', async () => {
      const { sessions, store, caller, time, close } = await setUp();
      const opened = [];
      for (let n = 0; n < 102; n += 1) {
        opened.push(await sessions.open({ kind: 'account', caller }));
        time.advance(1);
      }
      const operator = await sessions.open({ kind: 'operator' });
      assert.equal((await store.read.all(everySession, {})).length, 101);
      const found = await Promise.all(opened.map(({ id }) => sessions.find(id)));
      assert.deepEqual(
        found.map((session) => session !== undefined),
        opened.map((_, n) => n >= 2),
      );
      assert.notEqual(await sessions.find(operator.id), undefined);
      await close();
    });
  });
}

describe('the admin token', () => {
  it('matches itself and nothing else', () => {
    const token = createAdminToken('correct horse');
    assert.ok(token.isSet && token.matches('correct horse'));
    for (const wrong of ['', 'correct hors', 'correct horse ', 'Correct horse', 'x'.repeat(5_000)])
      assert.ok(!token.matches(wrong), wrong);
  });

  it('that is not set matches nothing, not even nothing', () => {
    const none = createAdminToken(undefined);
    assert.ok(!none.isSet && !none.matches('') && !none.matches('undefined'));
    assert.equal(none.markFor('id'), undefined);
  });
});
