import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Evidence } from '@mailproof/engine';
import { createTestClock } from '../../../../engine/test/support/test-clock.ts';
import { databases } from '../../../test/support/databases.ts';
import { createAccount } from '../../core/keys/accounts/create-account.ts';
import { setPlan } from '../../core/keys/accounts/set-plan.ts';
import { checkAddress } from './check-address.ts';
import { createFindFormKey } from './find-form-key.ts';
import { isFormKey, makeFormKey } from './form-key.ts';
import { createFormKey, deleteFormKey, listFormKeys } from './form-keys.ts';
import { createFormUses } from './form-uses.ts';
import { readOrigin } from './read-origin.ts';

const origins = ['https://www.example.com'];
const dayMs = 86_400_000;

for (const database of databases) {
  describe(`form keys on ${database.name}`, () => {
    async function setUp() {
      const { store, close } = await database.open();
      const time = createTestClock(Date.UTC(2026, 0, 2, 3));
      const parts = { store, clock: time, wallClock: time.wallClock, actor: 'command_line' as const };
      const { accountId } = await createAccount({ name: 'x', plan: 'paid', credits: 0 }, parts);
      const create = async (checksPerDay = 100, checksPerVisitor = 1_000) => {
        const order = { accountId, name: 'Form', origins, checksPerDay, checksPerVisitor };
        const created = await createFormKey(order, parts);
        assert.ok(created.kind === 'created');
        return created.key;
      };
      const find = createFindFormKey(parts);
      const found = async (key: string) => {
        const one = await find(key);
        assert.ok(one !== undefined);
        return one;
      };
      return { store, close, time, parts, accountId, create, find, found };
    }

    it('are found by themselves, listed, and gone within a second of being deleted', async () => {
      const { close, time, parts, accountId, create, find } = await setUp();
      const key = await create();
      assert.deepEqual(await find(key), {
        key,
        accountId,
        origins,
        checksPerDay: 100,
        checksPerVisitor: 1_000,
        counted: 0,
      });
      time.advance(1);
      const newer = await create();
      const listed = await listFormKeys(accountId, parts);
      assert.deepEqual(
        listed.map((one) => one.key),
        [newer, key],
      );
      assert.equal((await deleteFormKey({ key, accountId: 'acct_other' }, parts)).kind, 'key_not_found');
      assert.equal((await deleteFormKey({ key, accountId }, parts)).kind, 'deleted');
      time.advance(1_000);
      assert.equal(await find(key), undefined);
      await close();
    });

    it('do nothing without a plan, and nothing for a key that was never issued', async () => {
      const { close, time, parts, accountId, create, find } = await setUp();
      const key = await create();
      await setPlan({ accountId, plan: 'none' }, parts);
      time.advance(1_000);
      assert.equal(await find(key), undefined);
      assert.equal(await find(makeFormKey()), undefined);
      await close();
    });

    it('an account has at most 100', async () => {
      const { close, parts, accountId, create } = await setUp();
      for (let number = 0; number < 100; number += 1) await create();
      const order = { accountId, name: 'one more', origins, checksPerDay: 1, checksPerVisitor: 1 };
      assert.equal((await createFormKey(order, parts)).kind, 'too_many_keys');
      await close();
    });

    it('a cap of 100 a day allows exactly 100, and as many the next day', async () => {
      const { close, time, parts, create, found } = await setUp();
      const uses = createFormUses(parts);
      const key = await found(await create());
      const takeAll = () =>
        Array.from({ length: 1_000 }, (_, n) => uses.take({ ...key, visitor: `192.0.2.${n % 200}` }));
      assert.equal(takeAll().filter((one) => one === 'taken').length, 100);
      await uses.write();
      assert.equal(takeAll().filter((one) => one === 'taken').length, 0);
      assert.equal(uses.secondsLeft(), 21 * 3_600);
      time.advance(dayMs);
      assert.equal(takeAll().filter((one) => one === 'taken').length, 100);
      await close();
    });

    it('a cap holds over a restart and over several processes, once they have told each other', async () => {
      const { close, time, parts, create, found } = await setUp();
      const id = await create();
      const one = createFormUses(parts);
      const other = createFormUses(parts);
      const key = await found(id);
      const take = (uses: typeof one, times: number, counted: number) =>
        Array.from({ length: times }, () => uses.take({ ...key, counted, visitor: '192.0.2.1' })).filter(
          (taken) => taken === 'taken',
        ).length;
      assert.equal(take(one, 60, 0), 60);
      assert.equal(take(other, 30, 0), 30);
      await one.write();
      await other.write();
      assert.equal(take(other, 60, 0), 10, 'it has read back what both did');
      await other.write();
      time.advance(1_000);
      const { counted } = await found(id);
      assert.equal(counted, 100);
      assert.equal(take(createFormUses(parts), 60, counted), 0);
      await close();
    });

    it('one visitor has its own cap, and leaves the rest to others', async () => {
      const { close, parts, create, found } = await setUp();
      const uses = createFormUses(parts);
      const key = await found(await create(100, 3));
      const take = (visitor: string) => uses.take({ ...key, visitor });
      assert.deepEqual(
        [1, 2, 3, 4].map(() => take('192.0.2.1')),
        ['taken', 'taken', 'taken', 'visitor_cap'],
      );
      assert.equal(take('192.0.2.2'), 'taken');
      await close();
    });
  });
}

describe('the form of a publishable key', () => {
  it('is prefix, 20 characters and a checksum that refuses every slip', () => {
    const key = makeFormKey();
    assert.match(key, /^mp_pub_[0-9A-Za-z]{26}$/);
    assert.ok(isFormKey(key));
    for (let at = 7; at < key.length; at += 1)
      assert.ok(!isFormKey(key.slice(0, at) + (key[at] === 'x' ? 'y' : 'x') + key.slice(at + 1)));
    assert.ok(!isFormKey(`${key}x`));
  });
});

describe('an origin', () => {
  it('is scheme, host and port, as browsers send it', () => {
    assert.equal(readOrigin('https://www.example.com'), 'https://www.example.com');
    assert.equal(readOrigin('https://WWW.example.com:443/'), 'https://www.example.com');
    assert.equal(readOrigin('http://127.0.0.1:8080'), 'http://127.0.0.1:8080');
    for (const none of ['www.example.com', '*', 'https://www.example.com/form', 'file:///x', 'null', ''])
      assert.equal(readOrigin(none), undefined, none);
  });
});

describe('what a form is told', () => {
  const time = createTestClock();
  const listed = { disposable: false, role: false, free: false, spamtrap: false, denied: false };
  const takesMail = {
    kind: 'takes_mail',
    implicit: false,
    mxRecords: [],
    first: { name: 'mx.example.com', addresses: [] },
    further: [],
  } as unknown as NonNullable<Evidence['route']>;
  const tell = (found: Partial<Evidence>, email = 'jane.doe@example.com') =>
    checkAddress(email, {
      clock: time,
      engine: { lookUp: (address) => Promise.resolve({ address, lists: listed, ...found }) },
    });

  it('is one of five words, and never what only its mail host could tell', async () => {
    const refusesMail = { kind: 'refuses_mail', why: 'no_such_domain' } as const;
    const silent = { kind: 'undetermined', failure: 'silence' } as const;
    assert.deepEqual(await tell({ route: takesMail }), { result: 'ok' });
    assert.deepEqual(await tell({ route: refusesMail }), { result: 'undeliverable' });
    assert.deepEqual(await tell({ route: silent }), { result: 'unchecked' });
    assert.deepEqual(await tell({ lists: { ...listed, disposable: true }, route: takesMail }), {
      result: 'disposable',
    });
    assert.deepEqual(await tell({ lists: { ...listed, denied: true } }), { result: 'undeliverable' });
    assert.deepEqual(await tell({}, 'no address'), { result: 'undeliverable' });
  });

  it('a likely slip is told with what was meant, whatever DNS says', async () => {
    const lists = { ...listed, nearProvider: 'gmail.com' };
    const answer = { result: 'typo', did_you_mean: 'jane.doe@gmail.com' };
    assert.deepEqual(await tell({ lists, route: takesMail }), answer);
    assert.deepEqual(await tell({ lists, route: { kind: 'undetermined', failure: 'silence' } }), answer);
  });

  it('a spam trap at a disposable domain cannot be told from its neighbours', async () => {
    for (const spamtrap of [true, false]) {
      const lists = { ...listed, spamtrap, disposable: true };
      assert.deepEqual(await tell({ lists, route: takesMail }), { result: 'disposable' });
    }
  });

  it('has 250 ms for DNS', async () => {
    let deadline = 0;
    await checkAddress('jane@example.com', {
      clock: time,
      engine: {
        lookUp: (address, request) => {
          deadline = request.deadline - time.now();
          return Promise.resolve({ address, lists: listed, route: takesMail });
        },
      },
    });
    assert.equal(deadline, 250);
  });
});
