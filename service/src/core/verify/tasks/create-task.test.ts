import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { begin } from '../idempotency.ts';
import { databases } from '../../../../test/support/databases.ts';
import { addresses, openTaskFixture } from '../../../../test/support/open-task-fixture.ts';
import { safe, unknown } from '../../../../test/support/outcomes.ts';
import { openAccount } from '../../../../test/support/open-account.ts';

for (const database of databases) {
  describe(`creating a task on ${database.name}`, () => {
    it('counts, and keeps the first spelling of each address', async () => {
      const { create, created, run, claim, read, account, close } = await openTaskFixture(database);
      const emails = [
        ' Anna@Example.com ',
        'anna@EXAMPLE.COM',
        'no address',
        'bert@bücher.example',
        'BERT@xn--bcher-kva.example',
        '',
        `${'x'.repeat(250)}@example.com`,
      ];
      const answer = await create(account.live, emails);
      assert.ok(answer.kind === 'created');
      assert.deepEqual(answer.counts, { submitted: 7, duplicatesRemoved: 2, rejected: 3, processing: 2 });
      assert.equal(answer.creditsUsed, 2);
      await run((await claim())!);
      const task = await read(answer.taskId);
      assert.ok(task.kind === 'task');
      assert.deepEqual(
        task.results?.map(({ email }) => email),
        ['Anna@Example.com', 'bert@bücher.example'],
      );
      assert.match(await created(account.live, ['a@example.com']), /^[\da-f]{8}-[\da-f]{4}-4/);
      await close();
    });

    it('quotes that are not needed make no other mailbox: asked for and charged once, in the first spelling', async () => {
      const { create, run, claim, read, account, balance, close } = await openTaskFixture(database, 10);
      const emails = ['"ada"@example.com', 'Ada@example.com', '"a\\da"@example.com', '"ada l"@example.com'];
      const answer = await create(account.live, emails);
      assert.ok(answer.kind === 'created');
      assert.deepEqual(answer.counts, { submitted: 4, duplicatesRemoved: 2, rejected: 0, processing: 2 });
      await run((await claim())!);
      const task = await read(answer.taskId);
      assert.deepEqual(task.kind === 'task' ? task.results?.map(({ email }) => email) : [], [
        '"ada"@example.com',
        '"ada l"@example.com',
      ]);
      assert.deepEqual(await balance(), [8, 0, 2]);
      await close();
    });

    it('reserves for what was submitted and returns duplicates and rejected at once', async () => {
      const { create, account, balance, violations, close } = await openTaskFixture(database, 10);
      const answer = await create(account.live, ['a@example.com', 'A@example.com', 'x', 'b@example.com']);
      assert.equal(answer.kind, 'created');
      assert.deepEqual(await balance(), [8, 2, 0]);
      assert.deepEqual(await violations(), []);
      await close();
    });

    it('needs as many credits as addresses were submitted, and takes none where it refuses', async () => {
      const { create, account, balance, violations, close } = await openTaskFixture(database, 3);
      const twice = ['a@example.com', 'a@example.com', 'a@example.com', 'a@example.com'];
      assert.deepEqual(await create(account.live, twice), { kind: 'insufficient_credits' });
      assert.deepEqual(await create(account.live, ['1', '2', '3', '4']), { kind: 'insufficient_credits' });
      assert.deepEqual(await balance(), [3, 0, 0]);
      assert.equal((await create(account.live, twice.slice(1))).kind, 'created');
      assert.deepEqual(await violations(), []);
      await close();
    });

    it('a task of a test key is gone an hour after it was completed, one of a live key is kept', async () => {
      const { created, claim, run, read, account, time, close } = await openTaskFixture(database);
      const tasks: { task: string; mode: 'live' | 'test' }[] = [];
      for (const mode of ['live', 'test'] as const) {
        const [task, empty] = [
          await created(account[mode], ['a@example.com']),
          await created(account[mode], ['nonsense']),
        ];
        assert.equal(await run((await claim(undefined, mode))!), 'completed');
        tasks.push({ task, mode }, { task: empty, mode });
      }
      const found = () =>
        Promise.all(tasks.map(async ({ task, mode }) => (await read(task, account[mode])).kind));
      time.advance(3_599_999);
      assert.deepEqual(await found(), ['task', 'task', 'task', 'task']);
      time.advance(1);
      assert.deepEqual(await found(), ['task', 'task', 'task_not_found', 'task_not_found']);
      await close();
    });

    it('tasks of live keys and of test keys do not wait for each other', async () => {
      const { created, claim, account, close } = await openTaskFixture(database);
      for (let n = 0; n < 17; n += 1) {
        await created(account.test, ['a@example.com']);
        await created(account.live, ['a@example.com']);
      }
      // As many as one account may have under way at once, of each.
      for (const mode of ['test', 'live'] as const) {
        for (let n = 0; n < 16; n += 1) assert.equal((await claim(undefined, mode))?.mode, mode);
        assert.equal(await claim(undefined, mode), undefined);
      }
      await close();
    });

    it('with nothing to process is completed at once', async () => {
      const { created, read, claim, account, balance, violations, close } = await openTaskFixture(
        database,
        10,
      );
      const task = await read(await created(account.live, ['nonsense', 'more nonsense']));
      assert.ok(task.kind === 'task');
      assert.deepEqual([task.status, task.total, task.creditsUsed, task.results], ['completed', 0, 0, []]);
      assert.equal(await claim(), undefined);
      assert.deepEqual(await balance(), [10, 0, 0]);
      assert.deepEqual(await violations(), []);
      await close();
    });

    it('is named as asked, or after the minute of its creation in UTC', async () => {
      const { created, read, account, close } = await openTaskFixture(database);
      const named = await read(await created(account.live, ['a@example.com'], { name: 'spring list' }));
      const unnamed = await read(await created(account.live, ['a@example.com']));
      assert.ok(named.kind === 'task' && unnamed.kind === 'task');
      assert.deepEqual([named.name, unnamed.name], ['API: spring list', 'API: 2026-01-02 03:04']);
      await close();
    });

    it('of a test key moves no credit', async () => {
      const { create, run, claim, read, account, balance, violations, close } = await openTaskFixture(
        database,
        0,
      );
      const answer = await create(account.test, ['a@example.com']);
      assert.ok(answer.kind === 'created' && answer.creditsUsed === 0);
      assert.equal(await run((await claim())!), 'completed');
      const task = await read(answer.taskId, account.test);
      assert.ok(task.kind === 'task' && task.status === 'completed' && task.creditsUsed === 0);
      assert.deepEqual(await balance(), [0, 0, 0]);
      assert.deepEqual(await violations(), []);
      await close();
    });

    it('100 rounds of 20 identical requests at once: one task each', async () => {
      const { create, account, balance, violations, close } = await openTaskFixture(database, 300);
      for (let round = 0; round < 100; round += 1) {
        const idempotency = { key: `key ${round}`, bodyHash: 'body' };
        const answers = await Promise.all(
          Array.from({ length: 20 }, () =>
            create(account.live, ['a@example.com', 'b@example.com'], { idempotency }),
          ),
        );
        const ids = new Set(
          answers.map((answer) => (answer.kind === 'created' ? answer.taskId : answer.kind)),
        );
        assert.equal(ids.size, 1);
        assert.equal(answers.filter((answer) => answer.kind === 'created' && !answer.replayed).length, 1);
      }
      assert.deepEqual(await balance(), [100, 200, 0]);
      assert.deepEqual(await violations(), []);
      await close();
    });

    it('another body or the other endpoint is a mismatch', async () => {
      const { create, account, store, time, close } = await openTaskFixture(database);
      const { accountId } = account;
      const now = time.wallClock.now();
      await create(account.live, ['a@example.com'], { idempotency: { key: 'k', bodyHash: 'one' } });
      const other = await create(account.live, ['b@example.com'], {
        idempotency: { key: 'k', bodyHash: 'two' },
      });
      assert.deepEqual(other, { kind: 'idempotency_mismatch' });
      const single = {
        accountId,
        endpoint: 'verification' as const,
        request: { key: 'j', bodyHash: 'one' },
        now,
      };
      await store.write((tx) =>
        begin(tx, { ...single, attempt: 'x', processId: 'p', expiresAt: now + 1_000 }),
      );
      const elsewhere = await create(account.live, ['a@example.com'], {
        idempotency: { key: 'j', bodyHash: 'one' },
      });
      assert.deepEqual(elsewhere, { kind: 'idempotency_mismatch' });
      await close();
    });

    it('side by side on credits for some of them, each takes both of its parts or none', async () => {
      const { account, create, balance, violations, close } = await openTaskFixture(database, 7);
      const withDuplicate = ['a@example.com', 'b@example.com', 'A@example.com'];
      const answers = await Promise.all(
        [withDuplicate, addresses(1), withDuplicate, addresses(1), withDuplicate, addresses(2)].map(
          (emails) => create(account.live, emails),
        ),
      );
      const held = answers.reduce((sum, one) => sum + (one.kind === 'created' ? one.creditsUsed : 0), 0);
      assert.deepEqual(await balance(), [7 - held, held, 0]);
      assert.deepEqual(await violations(), []);
      await close();
    });

    it('twins whose credits pay for one of them: one task, and none is refused', async () => {
      const { account, create, balance, violations, close } = await openTaskFixture(database, 2);
      const idempotency = { key: 'k', bodyHash: 'one' };
      const answers = await Promise.all(
        Array.from({ length: 20 }, () => create(account.live, addresses(2), { idempotency })),
      );
      const kinds = new Set(answers.map(({ kind }) => kind));
      kinds.delete('request_in_progress');
      assert.deepEqual([...kinds], ['created']);
      assert.deepEqual(await balance(), [0, 2, 0]);
      assert.deepEqual(await violations(), []);
      await close();
    });

    it('a refused task frees its key', async () => {
      const { create, account, close } = await openTaskFixture(database, 1);
      const idempotency = { key: 'k', bodyHash: 'one' };
      assert.equal((await create(account.live, addresses(2), { idempotency })).kind, 'insufficient_credits');
      assert.equal((await create(account.live, addresses(1), { idempotency })).kind, 'created');
      await close();
    });
  });

  describe(`reading a task on ${database.name}`, () => {
    it('is for its owner alone; all else reads as not found', async () => {
      const { created, read, run, claim, store, time, account, close } = await openTaskFixture(database);
      const other = await openAccount({ store, wallClock: time.wallClock }, 10);
      const id = await created(account.live, ['a@example.com']);
      assert.equal((await read(id)).kind, 'task');
      const foreign = await read(id, other.live);
      assert.deepEqual(await read(id, account.test), foreign, 'nor is it for a key of the other mode');
      for (const wrong of [
        '00000000-0000-4000-8000-000000000000',
        '',
        'x',
        `${id} `,
        id.toUpperCase(),
        "' or 1 = 1 --",
      ]) {
        assert.deepEqual(await read(wrong), foreign);
      }
      assert.deepEqual(foreign, { kind: 'task_not_found' });
      await run((await claim())!);
      assert.deepEqual(await read(id, other.live), foreign);
      time.advance(15 * 86_400_000);
      assert.deepEqual(await read(id), foreign, 'expired, although not yet erased');
      await close();
    });

    it('shows progress, credits held and then charged, and results only at the end', async () => {
      const { created, read, claim, run, mind, account, close } = await openTaskFixture(database);
      const id = await created(account.live, addresses(4));
      const states = [await read(id)];
      mind.answer = async (email) => {
        states.push(await read(id));
        return email.startsWith('person0') ? unknown(email) : safe(email);
      };
      await run((await claim())!);
      states.push(await read(id));
      const seen = states.map((state) =>
        state.kind === 'task' ? [state.status, state.creditsUsed, state.results?.length] : [],
      );
      assert.deepEqual(seen[0], ['waiting', 4, undefined]);
      assert.deepEqual(seen[1], ['running', 4, undefined]);
      assert.deepEqual(seen.at(-1), ['completed', 3, 4]);
      const last = states.at(-1);
      assert.ok(last?.kind === 'task' && last.results?.[0]?.status === 'unknown');
      assert.equal(last.results[0].explanation?.reason, 'host_refused');
      await close();
    });
  });
}
