import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { statement } from '../../core/store/statement.ts';
import { createAccount } from '../../core/keys/accounts/create-account.ts';
import { databases, type TestStore } from '../../../test/support/databases.ts';
import { addresses, openTaskFixture } from '../../../test/support/open-task-fixture.ts';
import { copyStore } from '../../start/whole-backups.ts';

const lastChange = statement((db) =>
  db.selectFrom('audit_log').select('number').orderBy('number', 'desc').limit(1),
);

for (const source of databases) {
  for (const target of databases) {
    describe(`copying from ${source.name} to ${target.name}`, () => {
      const toKind = target.name === 'SQLite' ? 'sqlite' : 'postgres';
      const copy = (from: TestStore['store'], to: TestStore['store']) =>
        copyStore({ from, to, toKind, onProgress: () => undefined });

      it('takes every row along, once, and both sides balance and work on', async () => {
        const fixture = await openTaskFixture(source);
        const there = await target.open();
        await fixture.created(fixture.account.live, addresses(90));
        await fixture.created(fixture.account.live, addresses(70));
        for (let n = 0; n < 8; n += 1) await fixture.created(fixture.account.test, addresses(100));
        await fixture.run((await fixture.claim())!);
        await fixture.registry.leave();
        const answer = await copy(fixture.store, there.store);
        assert.ok(answer.kind === 'copied', JSON.stringify(answer));
        const { accounts, tasks, entries, violations } = answer;
        assert.deepEqual({ accounts, tasks, violations }, { accounts: 1, tasks: 10, violations: [] });
        assert.ok(entries >= 3, `${entries}`);
        assert.deepEqual((await copy(fixture.store, there.store)).kind, 'target_not_empty');
        const before = await there.store.read.first(lastChange, {});
        const parts = { store: there.store, wallClock: Date, actor: 'command_line' as const };
        await createAccount({ name: 'later', plan: 'paid', credits: 1 }, parts);
        assert.ok((await there.store.read.first(lastChange, {}))!.number > before!.number);
        await there.close();
        await fixture.close();
      });

      it('refuses while somebody works on the source', async () => {
        const [here, there] = [await source.open(), await target.open()];
        const registry = await here.store.joinRegistry();
        assert.deepEqual(await copy(here.store, there.store), { kind: 'source_in_use', processes: 1 });
        await registry.leave();
        assert.equal((await copy(here.store, there.store)).kind, 'copied');
        await here.close();
        await there.close();
      });
    });
  }
}
