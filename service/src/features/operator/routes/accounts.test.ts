import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import type { AdminAccount, AdminAccountPage, AuditLogPage, CreatedKey, KeyList } from '@mailproof/client';
import { freezeAccount } from '../../../core/ledger/freeze-account.ts';
import { oneDatabase } from '../../../../test/support/databases.ts';
import { refusal } from '../../../../test/support/http/ask.ts';
import {
  admin,
  nobody,
  openOperatorFixture,
  type OperatorFixture,
} from '../../../../test/support/http/open-operator-fixture.ts';

for (const database of oneDatabase) {
  describe(`${admin}/accounts on ${database.name}`, () => {
    let fixture: OperatorFixture;
    before(async () => {
      fixture = await openOperatorFixture(database);
    });
    after(() => fixture.close());

    test('accounts are made, looked at, given a plan, and each change is written down', async () => {
      const made = await fixture.change<AdminAccount>(
        { url: '/accounts', body: { name: '  Example Ltd ', plan: 'none', credits: 7, account_id: 'mine' } },
        201,
      );
      assert.match(made.account_id, /^acct_[\da-f]{16}$/);
      const expected: AdminAccount = {
        account_id: made.account_id,
        name: 'Example Ltd',
        plan: 'none',
        credits: { granted: 7, available: 7, reserved: 0, spent: 0 },
        frozen: false,
        requests_per_minute: null,
        created_at: new Date(fixture.time.wallClock.now()).toISOString(),
      };
      assert.deepEqual(made, expected);
      const url = `/accounts/${made.account_id}`;
      assert.deepEqual(await fixture.read(url), expected);
      const { entries } = await fixture.read<AuditLogPage>('/audit-log?limit=2');
      assert.deepEqual(
        entries.map(({ actor, action, subject, detail }) => ({ actor, action, subject, detail })),
        [
          { actor: 'operator', action: 'credits_granted', subject: made.account_id, detail: { credits: 7 } },
          {
            actor: 'operator',
            action: 'account_created',
            subject: made.account_id,
            detail: { name: 'Example Ltd', plan: 'none' },
          },
        ],
      );
      const paid = await fixture.change<AdminAccount>({ method: 'PATCH', url, body: { plan: 'paid' } }, 200);
      assert.deepEqual(paid, { ...expected, plan: 'paid' });
      assert.deepEqual((await fixture.newest()).detail, { plan: 'paid' });
      const usual = await fixture.change<AdminAccount>({ url: '/accounts', body: { name: 'usual' } }, 201);
      assert.deepEqual([usual.plan, usual.credits.granted], ['paid', 0]);
    });

    test('an account that was frozen is unfrozen with a reason', async () => {
      const { accountId } = fixture.ours;
      await fixture.store.write((tx) => freezeAccount(tx, { accountId, because: 'I2', now: 5 }));
      const url = `/accounts/${accountId}`;
      assert.equal((await fixture.read<AdminAccount>(url)).frozen, true);
      const body = { reason: ' figures corrected ' };
      const answer = await fixture.change<AdminAccount>({ url: `${url}/unfreeze`, body }, 200);
      assert.equal(answer.frozen, false);
      const { actor, action, subject, detail } = await fixture.newest();
      assert.deepEqual([actor, action, subject], ['operator', 'account_unfrozen', accountId]);
      assert.deepEqual(detail, { reason: 'figures corrected' });
    });

    test('accounts are listed newest first, by pages, and found by id or a part of the name', async () => {
      for (const name of ['Alpha 100%', 'ALPHA_two', 'alphabet']) {
        fixture.time.advance(1);
        await fixture.change({ url: '/accounts', body: { name } }, 201);
      }
      const whole = (await fixture.read<AdminAccountPage>('/accounts?limit=100')).accounts;
      assert.deepEqual(
        whole.slice(0, 3).map(({ name }) => name),
        ['alphabet', 'ALPHA_two', 'Alpha 100%'],
      );
      const pieces: AdminAccount[] = [];
      let next: string | null = null;
      do {
        const query: string = next === null ? '' : `&before=${next}`;
        const page: AdminAccountPage = await fixture.read(`/accounts?limit=2${query}`);
        pieces.push(...page.accounts);
        next = page.next;
      } while (next !== null);
      assert.deepEqual(pieces, whole);

      const found = async (search: string) =>
        (await fixture.read<AdminAccountPage>(`/accounts?search=${encodeURIComponent(search)}`)).accounts.map(
          ({ name }) => name,
        );
      assert.deepEqual(await found('alpha'), ['alphabet', 'ALPHA_two', 'Alpha 100%']);
      assert.deepEqual(await found('HA_'), ['ALPHA_two']);
      assert.deepEqual(await found('0%'), ['Alpha 100%']);
      assert.deepEqual(await found(fixture.theirs.accountId), ['theirs']);
      assert.deepEqual(await found("' or 1=1 --"), []);
      assert.equal((await found(' ')).length, whole.length);
      const second = await fixture.read<AdminAccountPage>('/accounts?search=alpha&limit=2');
      const third = await fixture.read<AdminAccountPage>(
        `/accounts?search=alpha&limit=2&before=${second.next}`,
      );
      assert.deepEqual([third.accounts.map(({ name }) => name), third.next], [['Alpha 100%'], null]);
    });

    test('a grant with an Idempotency-Key is given once, however many ask at once', async () => {
      const { accountId } = fixture.theirs;
      const url = `/accounts/${accountId}/grants`;
      const grant = (credits: number, word?: string) =>
        fixture.asked({
          method: 'POST',
          url,
          body: { credits },
          ...(word === undefined ? {} : { headers: { 'idempotency-key': word } }),
        });
      const answers = await Promise.all(Array.from({ length: 10 }, () => grant(5, 'click')));
      for (const answer of answers)
        assert.deepEqual(
          [answer.statusCode, answer.json<AdminAccount>().credits.granted],
          [200, 105],
          answer.body,
        );
      const entries = (await fixture.read<AuditLogPage>('/audit-log?limit=100')).entries;
      const ours = entries.filter(({ subject, detail }) => subject === accountId && detail['credits'] === 5);
      assert.equal(ours.length, 1);
      fixture.time.advance(40 * 86_400_000);
      assert.equal((await grant(5, 'click')).json<AdminAccount>().credits.granted, 105, 'however late');
      const other = await grant(6, 'click');
      assert.deepEqual([other.statusCode, other.json()], [422, refusal('idempotency_mismatch')]);
      await grant(5);
      await grant(5);
      assert.equal((await grant(5, 'another')).json<AdminAccount>().credits.granted, 120);
      const elsewhere = await fixture.asked({
        method: 'POST',
        url: `/accounts/${fixture.ours.accountId}/grants`,
        body: { credits: 9 },
        headers: { 'idempotency-key': 'click' },
      });
      assert.equal(elsewhere.statusCode, 200, 'a word is of one account');
    });

    test('409 too_many_credits: no account holds more than can be counted', async () => {
      const { account_id } = await fixture.change<AdminAccount>(
        { url: '/accounts', body: { name: 'rich', credits: 1e12 } },
        201,
      );
      const grant = { method: 'POST', url: `/accounts/${account_id}/grants`, body: { credits: 1 } } as const;
      await fixture.refused(grant, [409, 'too_many_credits']);
      assert.equal((await fixture.read<AdminAccount>(`/accounts/${account_id}`)).credits.granted, 1e12);
    });

    test('keys are made for an account, shown once, listed, and deleted only as keys of that account', async () => {
      const { accountId } = fixture.ours;
      const url = `/accounts/${accountId}/keys`;
      const made = await fixture.change<CreatedKey>({ url, body: { name: 'Shop', mode: 'test' } }, 201);
      assert.deepEqual(
        { ...(await fixture.newest()), number: 0, at: '' },
        {
          number: 0,
          at: '',
          actor: 'operator',
          action: 'key_created',
          subject: made.key_id,
          detail: { account_id: accountId, mode: 'test' },
        },
      );
      const byKey = await fixture.server.inject({
        url: '/api/v1/account',
        headers: { authorization: `Bearer ${made.api_key}` },
      });
      assert.equal(byKey.statusCode, 200, 'the key works');
      const { keys } = await fixture.read<KeyList>(url);
      const { api_key, ...shown } = made;
      assert.deepEqual(
        keys.find(({ key_id }) => key_id === made.key_id),
        { ...shown, current: false },
      );
      assert.ok(!JSON.stringify(keys).includes(api_key.slice(20)));
      const remove = (account: string) =>
        fixture.asked({ method: 'DELETE', url: `/accounts/${account}/keys/${made.key_id}` });
      for (const other of [fixture.theirs.accountId, nobody]) {
        const response = await remove(other);
        assert.deepEqual([response.statusCode, response.json()], [404, refusal('key_not_found')]);
      }
      assert.equal((await remove(accountId)).statusCode, 204);
      assert.equal((await fixture.newest()).action, 'key_deleted');
      assert.equal((await remove(accountId)).statusCode, 404);
      assert.ok(!(await fixture.read<KeyList>(url)).keys.some(({ key_id }) => key_id === made.key_id));
    });

    test('409 too_many_keys: as many as the account itself may have', async () => {
      const { account_id } = await fixture.change<AdminAccount>(
        { url: '/accounts', body: { name: 'keys' } },
        201,
      );
      const url = `/accounts/${account_id}/keys`;
      for (let n = 0; n < 100; n += 1) await fixture.change({ url, body: {} }, 201);
      await fixture.refused({ method: 'POST', url, body: {} }, [409, 'too_many_keys']);
    });
  });
}
