import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { createAccount } from '../../../core/keys/accounts/create-account.ts';
import { ensureFirstAccount } from '../../../core/keys/accounts/ensure-first-account.ts';
import { setPlan } from '../../../core/keys/accounts/set-plan.ts';
import { freezeAccount } from '../../../core/ledger/freeze-account.ts';
import { grantCredits } from '../../../core/ledger/grant-credits.ts';
import { statement } from '../../../core/store/statement.ts';
import { deleteKey } from '../../../core/keys/delete-key.ts';
import { issueKey } from '../../../core/keys/issue-key.ts';
import { databases, type TestStore } from '../../../../test/support/databases.ts';
import { createTestClock } from '../../../../../engine/test/support/test-clock.ts';
import { listChanges } from './list-changes.ts';
import type { Actor, AuditAction, ChangeParts } from '../../../core/ledger/record-change.ts';

/** Something that may be asked for; `which` chooses among what there is, and one more stands for what there is not. */
type Asked =
  | { kind: 'create'; credits: number }
  | { kind: 'plan'; which: number; plan: 'paid' | 'none' }
  | { kind: 'grant'; which: number; credits: number; key: string | undefined }
  | { kind: 'issue'; which: number; mode: 'live' | 'test' }
  | { kind: 'delete'; which: number; of: number | undefined }
  | { kind: 'freeze'; which: number };

const which = fc.nat({ max: 3 });
const asked: fc.Arbitrary<Asked> = fc.oneof(
  fc.record({ kind: fc.constant('create' as const), credits: fc.constantFrom(-1, 0, 5) }),
  fc.record({
    kind: fc.constant('plan' as const),
    which,
    plan: fc.constantFrom('paid' as const, 'none' as const),
  }),
  fc.record({
    kind: fc.constant('grant' as const),
    which,
    credits: fc.constantFrom(0, 1, 2, 1e12),
    key: fc.constantFrom('a', 'b', undefined),
  }),
  fc.record({
    kind: fc.constant('issue' as const),
    which,
    mode: fc.constantFrom('live' as const, 'test' as const),
  }),
  fc.record({ kind: fc.constant('delete' as const), which, of: fc.option(which, { nil: undefined }) }),
  fc.record({ kind: fc.constant('freeze' as const), which }),
);
const actor: fc.Arbitrary<Actor> = fc.constantFrom('operator', 'command_line', 'key:abc');

type Row = [actor: string, action: AuditAction, subject: string];

/** What the requests made, as the test knows it; `expected` is the log as it should be, the oldest first. */
type Fixture = {
  store: TestStore['store'];
  accounts: { id: string; plan: string; frozen: boolean; granted: number; words: Map<string, number> }[];
  keys: { id: string; account: string; deleted: boolean }[];
  expected: Row[];
};

async function act(fixture: Fixture, request: Asked, actor: Actor): Promise<void> {
  const parts = { store: fixture.store, wallClock: createTestClock().wallClock, actor };
  const changes = await ask(fixture, request, parts);
  fixture.expected.push(...changes.map(([action, subject, by = actor]): Row => [by, action, subject]));
}

type Changed = [action: AuditAction, subject: string, by?: Actor];

async function ask(fixture: Fixture, request: Asked, parts: ChangeParts): Promise<Changed[]> {
  switch (request.kind) {
    case 'create':
      return create(fixture, request, parts);
    case 'plan':
      return plan(fixture, request, parts);
    case 'grant':
      return grant(fixture, request, parts);
    case 'issue':
      return issue(fixture, request, parts);
    case 'delete':
      return remove(fixture, request, parts);
    case 'freeze':
      return freeze(fixture, request);
  }
}

type Of<Kind extends Asked['kind']> = Asked & { kind: Kind };

async function create(fixture: Fixture, { credits }: Of<'create'>, parts: ChangeParts): Promise<Changed[]> {
  const created = createAccount({ name: 'x', plan: 'paid', credits }, parts);
  if (credits < 0) {
    await assert.rejects(created);
    return [];
  }
  const { accountId: id } = await created;
  fixture.accounts.push({ id, plan: 'paid', frozen: false, granted: credits, words: new Map() });
  const opening: Changed[] = credits > 0 ? [['credits_granted', id]] : [];
  return [['account_created', id], ...opening];
}

async function plan(fixture: Fixture, request: Of<'plan'>, parts: ChangeParts): Promise<Changed[]> {
  const account = fixture.accounts[request.which];
  const answer = await setPlan({ accountId: account?.id ?? 'nobody', plan: request.plan }, parts);
  assert.equal(answer.kind, account === undefined ? 'account_not_found' : 'set');
  if (account === undefined || account.plan === request.plan) return [];
  account.plan = request.plan;
  return [['plan_set', account.id]];
}

async function grant(fixture: Fixture, request: Of<'grant'>, parts: ChangeParts): Promise<Changed[]> {
  const { credits, key } = request;
  const account = fixture.accounts[request.which];
  const asking = { accountId: account?.id ?? 'nobody', credits, idempotencyKey: key };
  const granted = grantCredits(asking, parts);
  if (credits === 0) {
    await assert.rejects(granted);
    return [];
  }
  const expected = outcomeOf(account, request);
  assert.equal((await granted).kind, expected === 'repeated' ? 'granted' : expected);
  if (account === undefined || expected !== 'granted') return [];
  account.granted += credits;
  if (key !== undefined) account.words.set(key, credits);
  return [['credits_granted', account.id]];
}

function outcomeOf(account: Fixture['accounts'][number] | undefined, { credits, key }: Of<'grant'>) {
  if (account === undefined) return 'account_not_found';
  const before = account.words.get(key ?? '');
  if (before !== undefined) return before === credits ? 'repeated' : 'idempotency_mismatch';
  return account.granted + credits > 1e12 ? 'too_many_credits' : 'granted';
}

async function issue(fixture: Fixture, { which, mode }: Of<'issue'>, parts: ChangeParts): Promise<Changed[]> {
  const account = fixture.accounts[which];
  const issued = await issueKey({ accountId: account?.id ?? 'nobody', mode }, parts);
  assert.equal(issued.kind, account === undefined ? 'account_not_found' : 'issued');
  if (account === undefined || issued.kind !== 'issued') return [];
  fixture.keys.push({ id: issued.keyId, account: account.id, deleted: false });
  return [['key_created', issued.keyId]];
}

async function remove(fixture: Fixture, { which, of }: Of<'delete'>, parts: ChangeParts): Promise<Changed[]> {
  const key = fixture.keys[which];
  const named = of === undefined ? {} : { accountId: fixture.accounts[of]?.id ?? 'nobody' };
  const answer = await deleteKey({ keyId: key?.id ?? 'none', ...named }, parts);
  const found = key?.deleted === false && (named.accountId ?? key.account) === key.account;
  assert.equal(answer.kind, found ? 'deleted' : 'key_not_found');
  if (!found) return [];
  key.deleted = true;
  return [['key_deleted', key.id]];
}

async function freeze({ store, accounts }: Fixture, { which }: Of<'freeze'>): Promise<Changed[]> {
  const account = accounts[which];
  const accountId = account?.id ?? 'nobody';
  const froze = await store.write((tx) => freezeAccount(tx, { accountId, because: 'I2', now: 1 }));
  assert.equal(froze, account?.frozen === false);
  if (account !== undefined) account.frozen = true;
  return froze ? [['account_frozen', accountId, 'service']] : [];
}

const readAll = async (store: TestStore['store']): Promise<Row[]> =>
  (await listChanges({ limit: 10_000 }, { store }))
    .map((entry): Row => [entry.actor, entry.action, entry.subject])
    .reverse();

for (const database of databases) {
  describe(`the audit log on ${database.name}`, () => {
    it('has exactly one entry for every change, and none for what was refused or changed nothing', async () => {
      const { store, close } = await database.open();
      let seen = 0;
      const run = fc.asyncProperty(
        fc.array(fc.tuple(asked, actor), { minLength: 10, maxLength: 25 }),
        async (requests) => {
          const fixture: Fixture = { store, accounts: [], keys: [], expected: [] };
          await act(fixture, { kind: 'create', credits: 5 }, 'operator');
          for (const [request, by] of requests) await act(fixture, request, by);
          const rows = await readAll(store);
          assert.deepEqual(rows.slice(seen), fixture.expected);
          seen = rows.length;
        },
      );
      await fc.assert(run, { numRuns: 60, endOnFailure: true });
      assert.ok(seen > 100, `only ${seen} changes were tried`);
      await close();
    });

    it('tells what was changed to, and the first account as made by the service', async () => {
      const { store, close } = await database.open();
      const { wallClock } = createTestClock();
      const first = await ensureFirstAccount({ store, wallClock });
      assert.ok(first.kind === 'created');
      const { accountId } = first.account;
      await setPlan({ accountId, plan: 'none' }, { store, wallClock, actor: 'command_line' });
      const entries = await listChanges({ limit: 10 }, { store });
      const by = { actor: 'service', at: wallClock.now() };
      const told = [
        {
          ...by,
          action: 'account_created',
          subject: accountId,
          detail: { name: 'first account', plan: 'paid' },
        },
        { ...by, action: 'credits_granted', subject: accountId, detail: { credits: 1_000 } },
        {
          ...by,
          action: 'key_created',
          subject: first.liveKey.keyId,
          detail: { account_id: accountId, mode: 'live' },
        },
        {
          ...by,
          action: 'key_created',
          subject: first.testKey.keyId,
          detail: { account_id: accountId, mode: 'test' },
        },
        { ...by, actor: 'command_line', action: 'plan_set', subject: accountId, detail: { plan: 'none' } },
      ];
      assert.deepEqual(
        entries
          .map(({ at, actor, action, subject, detail }) => ({ at, actor, action, subject, detail }))
          .reverse(),
        told,
      );
      await close();
    });

    it('is read in pages, the newest first', async () => {
      const { store, close } = await database.open();
      const { wallClock } = createTestClock();
      await ensureFirstAccount({ store, wallClock });
      const all = await listChanges({ limit: 10 }, { store });
      const numbers = all.map(({ number }) => number);
      assert.deepEqual(
        numbers,
        numbers.toSorted((a, b) => b - a),
      );
      const page = await listChanges({ limit: 2, before: numbers[1] }, { store });
      assert.deepEqual(page, all.slice(2, 4));
      await close();
    });

    it('refuses to be changed or shortened, by the database itself', async () => {
      const { store, close } = await database.open();
      await ensureFirstAccount({ store, wallClock: createTestClock().wallClock });
      const before = await listChanges({ limit: 10 }, { store });
      const change = statement((db) => db.updateTable('audit_log').set({ actor: 'nobody' }));
      const erase = statement((db) => db.deleteFrom('audit_log'));
      await assert.rejects(
        store.write((tx) => tx.change(change, {})),
        /never changed/,
      );
      await assert.rejects(
        store.write((tx) => tx.change(erase, {})),
        /never deleted/,
      );
      assert.deepEqual(await listChanges({ limit: 10 }, { store }), before);
      await close();
    });

    it('an entry is undone with its change', async () => {
      const { store, close } = await database.open();
      const parts = { store, wallClock: createTestClock().wallClock, actor: 'operator' as const };
      const failing: typeof store.write = (operation) =>
        store.write(async (tx) => {
          await operation(tx);
          throw new Error('after the change');
        });
      await assert.rejects(
        createAccount({ name: 'x', plan: 'paid', credits: 1 }, { ...parts, store: { write: failing } }),
        /after the change/,
      );
      assert.deepEqual(await readAll(store), []);
      await close();
    });
  });
}
