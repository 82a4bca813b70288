import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { listChanges } from '../../features/operator/audit-log/list-changes.ts';
import { moveAuditMark, readAuditMark } from '../ledger/audit-mark.ts';
import { unfreezeAccount } from '../ledger/unfreeze-account.ts';
import { databases } from '../../../test/support/databases.ts';
import { addresses, openTaskFixture } from '../../../test/support/open-task-fixture.ts';
import { auditAccount } from '../../start/whole-store.ts';
import { watchAllBooks } from '../../start/whole-store.ts';

for (const database of databases) {
  describe(`an account that the audit froze on ${database.name}`, () => {
    async function setUp() {
      const fixture = await openTaskFixture(database, 20);
      const { store, account, time } = fixture;
      const { wallClock } = time;
      const watch = watchAllBooks({ store, wallClock, onViolation: () => undefined });
      const unfreeze = (reason = 'looked at') =>
        unfreezeAccount(
          { accountId: account.accountId, reason },
          { store, wallClock, actor: 'command_line' },
        );
      const examine = async () => {
        const found = await auditAccount(account.accountId, { store });
        assert.ok(found !== undefined);
        return found;
      };
      return { ...fixture, wallClock, watch, unfreeze, examine };
    }

    it('tells what does not balance, and since which entry', async () => {
      const { watch, created, run, claim, damage, account, time, wallClock, examine, close } = await setUp();
      await created(account.live, addresses(2));
      await run((await claim())!);
      const balancedAt = wallClock.now();
      await watch.look();
      time.advance(60_000);
      await created(account.live, addresses(1));
      await damage('update account set granted = granted + 5, available = available + 5');
      await damage(`update hold set credits = 2 where state = 'open'`);
      await watch.look();
      const { frozenAt, balanced, violations } = await examine();
      assert.equal(frozenAt, wallClock.now());
      assert.deepEqual(balanced, { entries: 3, at: balancedAt });
      const named = violations.map(({ invariant, entry }) => [invariant, entry]);
      assert.ok(named.some(([invariant, entry]) => invariant === 'I4' && entry === 4));
      const granted = violations.find(({ detail }) => detail.startsWith('granted'));
      assert.match(granted?.detail ?? '', /the account says 25, they add up to 20/);
      await close();
    });

    it('is unfrozen with a reason, which is in the audit log, and is not frozen again for the same', async () => {
      const { watch, create, damage, account, store, unfreeze, examine, balance, close } = await setUp();
      await damage(
        'update account set granted = granted + 5, available = available - 1, reserved = reserved + 6',
      );
      await watch.look();
      assert.equal((await create(account.live, addresses(1))).kind, 'account_frozen');
      const { accountId } = account;
      assert.deepEqual(await unfreeze('restored'), { kind: 'unfrozen', accountId, wasFrozen: true });
      const [entry] = await listChanges({ limit: 1, before: undefined }, { store });
      assert.deepEqual(
        [entry?.actor, entry?.action, entry?.subject, entry?.detail],
        ['command_line', 'account_unfrozen', accountId, { reason: 'restored' }],
      );
      assert.equal((await create(account.live, addresses(2))).kind, 'created');
      assert.deepEqual((await watch.look()).violations, []);
      assert.notDeepEqual((await examine()).violations, [], 'the whole audit still tells of it');
      assert.deepEqual(await balance(), [17, 8, 0]);
      await close();
    });

    it('is frozen again for what goes wrong later', async () => {
      const { watch, create, damage, account, unfreeze, close } = await setUp();
      const more = 'update account set granted = granted + 5, available = available + 5';
      await damage(more);
      await watch.look();
      await unfreeze();
      assert.deepEqual((await watch.look()).violations, []);
      await damage(more);
      await watch.look();
      assert.equal((await create(account.live, addresses(1))).kind, 'account_frozen');
      await close();
    });

    it('an audit that began before it was unfrozen does not move the mark back', async () => {
      const { watch, store, account, unfreeze, damage, close } = await setUp();
      const { accountId } = account;
      await watch.look();
      const before = await readAuditMark(store.read, accountId);
      await damage(
        'update account set granted = granted + 5, available = available + 5, entries = entries + 1',
      );
      await watch.look();
      await unfreeze();
      const accepted = await readAuditMark(store.read, accountId);
      const after = { ...before, auditedAt: before.auditedAt + 1 };
      await store.write((tx) => moveAuditMark(tx, accountId, { before, after }));
      assert.deepEqual(await readAuditMark(store.read, accountId), accepted);
      await close();
    });

    it('one that is not frozen stays as it is, and nothing is written down', async () => {
      const { account, store, unfreeze, wallClock, close } = await setUp();
      const { accountId } = account;
      const before = await listChanges({ limit: 5, before: undefined }, { store });
      assert.deepEqual(await unfreeze(), { kind: 'unfrozen', accountId, wasFrozen: false });
      const parts = { store, wallClock, actor: 'operator' } as const;
      const nobody = await unfreezeAccount({ accountId: 'nobody', reason: 'x' }, parts);
      assert.deepEqual(nobody, { kind: 'account_not_found' });
      assert.equal(await auditAccount('nobody', { store }), undefined);
      assert.deepEqual(await listChanges({ limit: 5, before: undefined }, { store }), before);
      await close();
    });
  });
}
