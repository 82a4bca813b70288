import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { PersonRole } from '@mailproof/client';
import { createAccount } from '../../core/keys/accounts/create-account.ts';
import type { Identity } from './oidc/create-provider.ts';
import { databases, type TestDatabase } from '../../../test/support/databases.ts';
import { createTestClock } from '../../../../engine/test/support/test-clock.ts';
import { acceptInvitation, invite, listInvitations } from './invitations.ts';
import { changeRole, listPeople } from './people.ts';
import { recogniseIdentity } from './recognise-identity.ts';

const weekMs = 7 * 86_400_000;

function identityOf(subject: string, issuer = 'https://login.example.com'): Identity {
  return { issuer, subject, email: `${subject}@example.com` };
}

async function setUp(database: TestDatabase) {
  const { store, close } = await database.open();
  const time = createTestClock();
  const parts = { store, wallClock: time.wallClock, actor: 'operator' as const };
  const { accountId } = await createAccount({ name: 'x', plan: 'paid', credits: 0 }, parts);
  const join = async (identity: Identity, role: PersonRole = 'owner') => {
    const invited = await invite({ accountId, role, email: null }, parts);
    assert.ok(invited.kind === 'invited');
    assert.equal((await acceptInvitation({ token: invited.token, identity }, parts)).kind, 'accepted');
  };
  let visits = 0;
  const recognise = (identity: Identity, wanted?: string) => {
    const visit = { state: `${(visits += 1)}`, nonce: '', verifier: '', startedAt: time.wallClock.now() };
    const asked = wanted === undefined ? visit : { ...visit, accountId: wanted };
    return recogniseIdentity(identity, asked, { ...parts, operators: ['root@example.com', 'sub:boss'] });
  };
  return { parts, time, close, accountId, join, recognise };
}

for (const database of databases) {
  describe(`identities on ${database.name}`, () => {
    it('the same subject at another provider is another person', async () => {
      const { join, recognise, parts, accountId, close } = await setUp(database);
      const elsewhere = identityOf('jane', 'https://other.example.com');
      await join(identityOf('jane'));
      assert.equal((await recognise(elsewhere)).kind, 'not_invited');
      await join(elsewhere, 'viewer');
      const roles = (await listPeople(accountId, parts)).map(({ role }) => role);
      assert.deepEqual(roles.toSorted(), ['owner', 'viewer']);
      await close();
    });

    it('the operator is known by an address in any case, and gets into an account that is named', async () => {
      const { join, recognise, accountId, close } = await setUp(database);
      const root = { ...identityOf('root'), email: 'Root@Example.com' };
      assert.equal((await recognise(root)).kind, 'operator');
      assert.equal((await recognise(root, accountId)).kind, 'not_invited');
      await join(root);
      const inside = await recognise(root, accountId);
      assert.equal(inside.kind === 'account' && inside.caller.accountId, accountId);
      await close();
    });

    it('an expired invitation is not shown', async () => {
      const { parts, time, accountId, close } = await setUp(database);
      await invite({ accountId, role: 'viewer', email: null }, parts);
      time.advance(weekMs - 1);
      assert.equal((await listInvitations(accountId, parts)).length, 1);
      time.advance(1);
      assert.deepEqual(await listInvitations(accountId, parts), []);
      await close();
    });

    it('the last owner can be made an owner', async () => {
      const { join, parts, accountId, close } = await setUp(database);
      await join(identityOf('jane'));
      const [jane] = await listPeople(accountId, parts);
      const order = { accountId, personId: jane?.personId ?? '', role: 'owner' as const };
      assert.deepEqual(await changeRole(order, parts), { kind: 'changed' });
      await close();
    });
  });
}
