import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { PersonRole } from '@mailproof/client';
import { createAccount } from '../../core/keys/accounts/create-account.ts';
import { listChanges } from '../operator/audit-log/list-changes.ts';
import { statement } from '../../core/store/statement.ts';
import { databases, type TestStore } from '../../../test/support/databases.ts';
import { createTestClock } from '../../../../engine/test/support/test-clock.ts';
import type { Identity } from './oidc/create-provider.ts';
import {
  acceptInvitation,
  eraseExpiredInvitations,
  invite,
  listInvitations,
  withdrawInvitation,
} from './invitations.ts';
import { changeRole, listPeople, peopleLimitTable, removePerson } from './people.ts';
import { recogniseIdentity } from './recognise-identity.ts';

const everything = statement((db) => db.selectFrom('invitation').selectAll());
const weekMs = 7 * 86_400_000;

for (const database of databases) {
  describe(`people on ${database.name}`, () => {
    let testStore: TestStore;
    const time = createTestClock();
    before(async () => {
      testStore = await database.open();
    });
    after(() => testStore.close());

    const parts = () => ({ store: testStore.store, wallClock: time.wallClock, actor: 'operator' as const });
    const identityOf = (login: string): Identity => ({
      issuer: 'https://login.example.com',
      subject: login,
      email: `${login}@example.com`,
    });

    async function openAccount(...people: [string, PersonRole][]) {
      const { accountId } = await createAccount({ name: 'x', plan: 'paid', credits: 0 }, parts());
      for (const [login, role] of people) await join(accountId, login, role);
      return accountId;
    }

    async function inviteTo(accountId: string, role: PersonRole, email: string | null = null) {
      const invited = await invite({ accountId, role, email }, parts());
      assert.ok(invited.kind === 'invited');
      return invited;
    }

    const accept = (token: string, login: string) =>
      acceptInvitation({ token, identity: identityOf(login) }, parts());

    async function join(accountId: string, login: string, role: PersonRole): Promise<void> {
      const { token } = await inviteTo(accountId, role);
      assert.equal((await accept(token, login)).kind, 'accepted');
    }

    const people = async (accountId: string) =>
      (await listPeople(accountId, parts())).map(({ email, role }) => [email, role]);
    async function idOf(accountId: string, login: string): Promise<string> {
      const listed = await listPeople(accountId, parts());
      return listed.find(({ email }) => email === `${login}@example.com`)?.personId ?? '';
    }

    it('an invitation makes one person with its role, once', async () => {
      const accountId = await openAccount();
      const { token } = await inviteTo(accountId, 'member');
      assert.deepEqual(await accept(token, 'jane'), { kind: 'accepted', accountId });
      assert.deepEqual(await accept(token, 'joe'), { kind: 'invitation_not_found' });
      assert.deepEqual(await people(accountId), [['jane@example.com', 'member']]);
      assert.deepEqual(await listInvitations(accountId, parts()), []);
    });

    it('of many who accept at once, exactly one gets in', async () => {
      const accountId = await openAccount();
      const { token } = await inviteTo(accountId, 'viewer');
      const logins = Array.from({ length: 12 }, (_none, n) => `guest${n}`);
      const answers = await Promise.all(logins.map((login) => accept(token, login)));
      const kinds = answers.map(({ kind }) => kind).sort();
      assert.deepEqual(kinds, ['accepted', ...new Array<string>(11).fill('invitation_not_found')]);
      assert.equal((await people(accountId)).length, 1);
    });

    it('one that is expired, withdrawn or made up lets nobody in', async () => {
      const accountId = await openAccount();
      const expired = await inviteTo(accountId, 'owner');
      time.advance(weekMs - 1);
      const withdrawn = await inviteTo(accountId, 'owner');
      const { invitationId } = withdrawn.invitation;
      assert.equal(
        (await withdrawInvitation({ accountId: 'other', invitationId }, parts())).kind,
        'invitation_not_found',
      );
      assert.equal((await withdrawInvitation({ accountId, invitationId }, parts())).kind, 'withdrawn');
      assert.equal(
        (await withdrawInvitation({ accountId, invitationId }, parts())).kind,
        'invitation_not_found',
      );
      assert.equal((await listInvitations(accountId, parts())).length, 1);
      time.advance(1);
      for (const token of [
        expired.token,
        withdrawn.token,
        'A'.repeat(43),
        '',
        expired.invitation.invitationId,
      ])
        assert.deepEqual(await accept(token, 'jane'), { kind: 'invitation_not_found' }, token);
      assert.deepEqual(await people(accountId), []);
      assert.equal(await testStore.store.write((tx) => eraseExpiredInvitations(tx, time.wallClock.now())), 1);
    });

    it('one for an address is only for who has it, and stays open for them', async () => {
      const accountId = await openAccount();
      const { token } = await inviteTo(accountId, 'member', 'Jane@Example.com');
      assert.deepEqual(await accept(token, 'mallory'), { kind: 'invitation_for_another' });
      const unverified = { issuer: 'https://login.example.com', subject: 'jane' };
      assert.deepEqual(await acceptInvitation({ token, identity: unverified }, parts()), {
        kind: 'invitation_for_another',
      });
      assert.deepEqual(await accept(token, 'jane'), { kind: 'accepted', accountId });
    });

    it('the store holds nothing that accepts one', async () => {
      const accountId = await openAccount();
      const { token } = await inviteTo(accountId, 'owner');
      assert.ok(!JSON.stringify(await testStore.store.read.all(everything, {})).includes(token));
    });

    it('who is in already keeps their role and leaves the invitation open', async () => {
      const accountId = await openAccount(['jane', 'viewer']);
      const { token } = await inviteTo(accountId, 'owner');
      assert.equal((await accept(token, 'jane')).kind, 'accepted');
      assert.deepEqual(await people(accountId), [['jane@example.com', 'viewer']]);
      assert.equal((await accept(token, 'joe')).kind, 'accepted');
    });

    it('the last owner can be neither removed nor demoted, not even by two at once', async () => {
      const accountId = await openAccount(['one', 'owner'], ['two', 'owner'], ['jane', 'member']);
      const [one, two] = [await idOf(accountId, 'one'), await idOf(accountId, 'two')];
      const answers = await Promise.all([
        removePerson({ accountId, personId: one }, parts()),
        changeRole({ accountId, personId: two, role: 'viewer' }, parts()),
      ]);
      const refused = answers.filter(({ kind }) => kind === 'last_owner');
      assert.equal(refused.length, 1);
      const owners = (await people(accountId)).filter(([, role]) => role === 'owner');
      assert.equal(owners.length, 1);
      const last = owners[0]?.[0] === 'one@example.com' ? one : two;
      assert.equal((await removePerson({ accountId, personId: last }, parts())).kind, 'last_owner');
      assert.equal(
        (await changeRole({ accountId, personId: last, role: 'member' }, parts())).kind,
        'last_owner',
      );
      const jane = await idOf(accountId, 'jane');
      assert.equal((await changeRole({ accountId, personId: jane, role: 'owner' }, parts())).kind, 'changed');
      assert.equal((await removePerson({ accountId, personId: last }, parts())).kind, 'removed');
    });

    it('nobody of another account is found', async () => {
      const ours = await openAccount(['jane', 'owner'], ['joe', 'owner']);
      const theirs = await openAccount(['mallory', 'owner']);
      const personId = await idOf(ours, 'jane');
      const other = { accountId: theirs, personId };
      assert.equal((await removePerson(other, parts())).kind, 'person_not_found');
      assert.equal((await changeRole({ ...other, role: 'viewer' }, parts())).kind, 'person_not_found');
    });

    it('an account has so many people and open invitations, and no more', async () => {
      const accountId = await openAccount(['jane', 'owner']);
      for (let n = 1; n < peopleLimitTable.perAccount.value; n += 1) await inviteTo(accountId, 'viewer');
      const full = await invite({ accountId, role: 'viewer', email: null }, parts());
      assert.equal(full.kind, 'too_many_people');
      time.advance(weekMs);
      assert.equal((await invite({ accountId, role: 'viewer', email: null }, parts())).kind, 'invited');
      assert.equal(
        (await invite({ accountId: 'none', role: 'viewer', email: null }, parts())).kind,
        'account_not_found',
      );
    });

    it('who is in several accounts gets into the one that is named, or else the last one', async () => {
      const first = await openAccount(['busy', 'owner']);
      time.advance(1);
      const second = await openAccount(['busy', 'viewer']);
      let visits = 0;
      const open = async (accountId?: string) => {
        const visit = { state: `${(visits += 1)}`, nonce: '', verifier: '', startedAt: time.wallClock.now() };
        const wanted = accountId === undefined ? visit : { ...visit, accountId };
        const answer = await recogniseIdentity(identityOf('busy'), wanted, { ...parts(), operators: [] });
        time.advance(1);
        return answer.kind === 'account' ? answer.caller.accountId : answer.kind;
      };
      assert.deepEqual(
        [await open(), await open(first), await open(), await open('another')],
        [second, first, first, 'not_invited'],
      );
    });

    it('every change is in the audit log with who made it, and no address', async () => {
      const accountId = await openAccount();
      const before = (await listChanges({ limit: 1 }, testStore))[0]?.number ?? 0;
      const { invitation, token } = await inviteTo(accountId, 'owner', 'jane@example.com');
      await accept(token, 'jane');
      const jane = await idOf(accountId, 'jane');
      await join(accountId, 'joe', 'viewer');
      const joe = await idOf(accountId, 'joe');
      const byJane = { ...parts(), actor: `person:${jane}` as const };
      await changeRole({ accountId, personId: joe, role: 'member' }, byJane);
      await removePerson({ accountId, personId: joe }, byJane);
      const entries = (await listChanges({ limit: 20 }, testStore))
        .filter(({ number }) => number > before)
        .reverse();
      assert.deepEqual(
        entries.map(({ actor, action, subject }) => [actor, action, subject]),
        [
          ['operator', 'person_invited', invitation.invitationId],
          [`person:${jane}`, 'person_joined', jane],
          ['operator', 'person_invited', entries[2]?.subject],
          [`person:${joe}`, 'person_joined', joe],
          [`person:${jane}`, 'person_role_set', joe],
          [`person:${jane}`, 'person_removed', joe],
        ],
      );
      assert.ok(!JSON.stringify(entries).includes('@'));
    });
  });
}
