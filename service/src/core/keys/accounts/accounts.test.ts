import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { showCredits } from '../../ledger/read-balance.ts';
import { openStore } from '../../../start/open-store.ts';
import { createAuthenticate } from '../authenticate.ts';
import { databases } from '../../../../test/support/databases.ts';
import { createTestClock } from '../../../../../engine/test/support/test-clock.ts';
import { audit } from '../../../start/whole-store.ts';
import { createAccount } from './create-account.ts';
import { ensureFirstAccount } from './ensure-first-account.ts';
import { listAccounts } from '../../../features/operator/find-accounts.ts';
import { setPlan } from './set-plan.ts';

for (const database of databases) {
  describe(`accounts on ${database.name}`, () => {
    async function setUp() {
      const { store, settings, close } = await database.open();
      const clock = createTestClock();
      const { wallClock } = clock;
      return {
        store,
        settings,
        close,
        wallClock,
        clock,
        parts: { store, wallClock, actor: 'operator' as const },
      };
    }

    it('are created with their plan and credits, and listed', async () => {
      const { parts, close } = await setUp();
      const one = await createAccount({ name: 'one', plan: 'paid', credits: 7 }, parts);
      const two = await createAccount({ name: 'two', plan: 'none', credits: 0 }, parts);
      const byName = (await listAccounts(parts)).sort((a, b) => a.name.localeCompare(b.name));
      assert.deepEqual(byName, [one, two]);
      const balance = { granted: 7, available: 7, reserved: 0, spent: 0 };
      assert.deepEqual(await showCredits(one.accountId, parts), {
        kind: 'credits',
        accountId: one.accountId,
        ...balance,
      });
      assert.deepEqual(await audit(parts), { accounts: 2, tasks: 0, violations: [] });
      await close();
    });

    it('a wrong amount leaves no account behind', async () => {
      const { parts, close } = await setUp();
      await assert.rejects(createAccount({ name: 'x', plan: 'paid', credits: -1 }, parts));
      assert.deepEqual(await listAccounts(parts), []);
      await close();
    });

    it('change their plan', async () => {
      const { parts, close } = await setUp();
      const account = await createAccount({ name: 'one', plan: 'paid', credits: 0 }, parts);
      assert.deepEqual(await setPlan({ accountId: account.accountId, plan: 'none' }, parts), {
        kind: 'set',
        ...account,
        plan: 'none',
      });
      assert.deepEqual(await setPlan({ accountId: 'nobody', plan: 'none' }, parts), {
        kind: 'account_not_found',
      });
      await close();
    });

    it('the first start makes one with 1,000 credits and two keys that work, once', async () => {
      const { parts, clock, close } = await setUp();
      const first = await ensureFirstAccount(parts);
      assert.ok(first.kind === 'created');
      assert.equal(first.credits, 1_000);
      const authenticate = createAuthenticate({ ...parts, clock, noteUse: () => undefined });
      assert.equal((await authenticate(`Bearer ${first.liveKey.apiKey}`))?.mode, 'live');
      assert.equal((await authenticate(`Bearer ${first.testKey.apiKey}`))?.mode, 'test');
      assert.deepEqual(await ensureFirstAccount(parts), { kind: 'exists' });
      await close();
    });

    it('two processes that start together make one first account', async () => {
      const { settings, parts, wallClock, close } = await setUp();
      const other = await openStore(settings);
      const answers = await Promise.all([
        ensureFirstAccount(parts),
        ensureFirstAccount({ store: other, wallClock }),
        ensureFirstAccount(parts),
      ]);
      assert.deepEqual(answers.map(({ kind }) => kind).sort(), ['created', 'exists', 'exists']);
      assert.equal((await listAccounts(parts)).length, 1);
      await other.close();
      await close();
    });
  });
}
