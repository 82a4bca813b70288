import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { KeyLimitsRequest } from '@mailproof/client';
import { createAccount } from './accounts/create-account.ts';
import { listChanges } from '../../features/operator/audit-log/list-changes.ts';
import { databases } from '../../../test/support/databases.ts';
import { createTestClock } from '../../../../engine/test/support/test-clock.ts';
import { changeKey } from './change-key.ts';
import { deleteKey, deleteKeyAs } from './delete-key.ts';
import { issueKey } from './issue-key.ts';
import { noLimits, type CallerLimits } from './key-limits.ts';
import { listLivingKeys } from './list-keys.ts';
import { readKeyLimits, type LimitsWish } from './read-key-limits.ts';

describe('the limits that can be asked for', () => {
  it('are refused when they cannot be meant, whoever asks', () => {
    const blocks = Array.from({ length: 51 }, (_, n) => `192.0.2.${n}`);
    const nonsense: object[] = [
      { scopes: [] },
      { scopes: ['everything'] },
      { allowed_ips: [] },
      { allowed_ips: blocks },
      { allowed_ips: ['192.0.2.0/24 10.0.0.0/8'] },
      { credits_per_day: 0 },
      { credits_per_day: 1.5 },
      { expires_at: 'tomorrow' },
    ];
    // Untyped on purpose: the command line and other clients send what they like.
    for (const wish of nonsense)
      assert.equal(readKeyLimits(wish as KeyLimitsRequest), undefined, JSON.stringify(wish));
    assert.deepEqual(readKeyLimits({ scopes: ['tasks', 'verify', 'tasks'], allowed_ips: [' 192.0.2.1 '] }), {
      scopes: ['verify', 'tasks'],
      allowedIps: ['192.0.2.1'],
    });
  });
});

for (const database of databases) {
  describe(`keys with limits on ${database.name}`, () => {
    async function setUp() {
      const { store, close } = await database.open();
      const time = createTestClock();
      const parts = { store, wallClock: time.wallClock, actor: 'operator' as const };
      const openAccount = async () =>
        (await createAccount({ name: 'a', plan: 'paid', credits: 0 }, parts)).accountId;
      const accountId = await openAccount();
      const issue = async (limits: LimitsWish = {}, name?: string) => {
        const issued = await issueKey({ accountId, mode: 'live', name, limits }, parts);
        assert.ok(issued.kind === 'issued');
        time.advance(1);
        return issued.keyId;
      };
      const change = (keyId: string, limits: LimitsWish, changer?: CallerLimits) =>
        changeKey(
          { keyId, accountId, limits, ...(changer && { changer: { mode: 'live', limits: changer } }) },
          parts,
        );
      const usageByKey = () => Promise.resolve(new Map<string, number>());
      const living = () => listLivingKeys(accountId, { ...parts, usageByKey });
      const newest = async () => (await listChanges({ limit: 1 }, { store }))[0];
      return { parts, close, openAccount, issue, change, living, newest };
    }

    it('a key that is limited in its scopes alone cannot cut down a stronger one', async () => {
      const { issue, change, living, close } = await setUp();
      const strong = await issue();
      const weak: CallerLimits = { ...noLimits, scopes: ['verify', 'account:write'] };
      const refused = await change(strong, { scopes: ['verify'] }, weak);
      assert.deepEqual(refused, { kind: 'insufficient_scope' });
      assert.deepEqual((await living())[0]?.limits, noLimits);
      const equal = await issue({ scopes: ['verify'] });
      assert.equal((await change(equal, { scopes: ['verify'] }, weak)).kind, 'changed');
      await close();
    });

    it('a limited key neither changes, renames nor deletes a key that is stronger in any way, whatever its scopes', async () => {
      const { issue, change, living, parts, close } = await setUp();
      const whole = { expiresAt: 1e15, allowedIps: ['192.0.2.0/24'], creditsPerDay: 10 };
      const limited: Record<string, CallerLimits> = {
        'all scopes by name': {
          ...noLimits,
          scopes: ['verify', 'tasks', 'lists', 'account:read', 'account:write'],
        },
        'all scopes until a day': { ...noLimits, expiresAt: 1e15 },
        'all scopes from one network': { ...noLimits, allowedIps: ['192.0.2.0/24'] },
        'all scopes with a cap': { ...noLimits, creditsPerDay: 10 },
      };
      for (const [kind, limits] of Object.entries(limited)) {
        const changer = { mode: 'live' as const, limits };
        const stronger = await issue();
        const touches = [
          await change(stronger, { scopes: ['verify'] }, limits),
          await changeKey({ keyId: stronger, name: 'mine', limits: {}, changer }, parts),
          await deleteKeyAs(changer, { keyId: stronger }, parts),
        ];
        for (const answer of touches) assert.deepEqual(answer, { kind: 'insufficient_scope' }, kind);
        const known = (await living()).find(({ keyId }) => keyId === stronger);
        assert.deepEqual([known?.name, known?.limits], ['Live key', noLimits], kind);
        const weaker = await issue({ ...whole, scopes: ['verify'] });
        assert.equal((await deleteKeyAs(changer, { keyId: weaker }, parts)).kind, 'deleted', kind);
        const alike = await issue(limits as LimitsWish);
        assert.equal(
          (await deleteKeyAs(changer, { keyId: alike }, parts)).kind,
          'deleted',
          `${kind}: itself`,
        );
      }
      const capped = { mode: 'live' as const, limits: { ...noLimits, creditsPerDay: 10 } };
      const richer = await issue({ creditsPerDay: 11 });
      const refused = await deleteKeyAs(capped, { keyId: richer }, parts);
      assert.deepEqual(refused, { kind: 'insufficient_scope' });
      await close();
    });

    it('a change of limits keeps the name and the limits that it does not mention, and is told as such', async () => {
      const { issue, change, living, newest, parts, close } = await setUp();
      const keyId = await issue({ allowedIps: ['192.0.2.0/24'] }, 'shop');
      await change(keyId, { scopes: ['verify'] });
      const [key] = await living();
      assert.deepEqual(
        [key?.name, key?.limits.scopes, key?.limits.allowedIps],
        ['shop', ['verify'], ['192.0.2.0/24']],
      );
      assert.equal((await newest())?.action, 'key_changed');
      await changeKey({ keyId, name: 'stall', limits: {} }, parts);
      assert.equal((await newest())?.action, 'key_renamed');
      await close();
    });

    it('a key is not found by another account, neither to delete nor to change it', async () => {
      const { issue, living, openAccount, parts, close } = await setUp();
      const keyId = await issue();
      const accountId = await openAccount();
      assert.deepEqual(await deleteKey({ keyId, accountId }, parts), { kind: 'key_not_found' });
      const changed = await changeKey({ keyId, accountId, name: 'mine', limits: {} }, parts);
      assert.deepEqual(changed, { kind: 'key_not_found' });
      assert.deepEqual(
        (await living()).map((key) => [key.keyId, key.name]),
        [[keyId, 'Live key']],
      );
      await close();
    });

    it('the newest key is shown first, and a deleted one not at all', async () => {
      const { issue, living, parts, close } = await setUp();
      const [first, second, third] = [await issue(), await issue(), await issue()];
      await deleteKey({ keyId: second }, parts);
      assert.deepEqual(
        (await living()).map(({ keyId }) => keyId),
        [third, first],
      );
      await close();
    });
  });
}
