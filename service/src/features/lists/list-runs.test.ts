import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { Readable } from 'node:stream';
import { describe, it } from 'node:test';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { systemClock } from '@mailproof/engine';
import { oneDatabase, type TestDatabase } from '../../../test/support/databases.ts';
import { nearProvider } from '../../../test/support/near-provider.ts';
import { openTaskFixture } from '../../../test/support/open-task-fixture.ts';
import { deferred, safe } from '../../../test/support/outcomes.ts';
import { createSlots } from '../../core/verify/slots.ts';
import { changeColumn } from './change-list.ts';
import { findList } from './list.ts';
import { planAhead } from './plan-tasks.ts';
import { receiveList, revealList } from './receive-list.ts';
import { createWorkbookReaders } from './reading/workbook-readers.ts';
import { runListTask } from './run-list-task.ts';
import { settleListTask } from './settle-list-task.ts';
import { readStartScope, startList } from './start-list.ts';
import { abandonListsOf } from './tend-lists.ts';
import { cancelList, deleteList, pauseList, resumeList } from './stop-list.ts';

const mode = 'live' as const;

type Mode = 'live' | 'test';

const never = new AbortController().signal;
const dayMs = 86_400_000;
const leaseMs = 60_000;
const deferralMs = 300_000;

/** A list that runs, over tasks whose engine answers as told and whose time stands still. */
async function openRun(database: TestDatabase) {
  const tasks = await openTaskFixture(database, 10_000);
  const { store, time, account, registry } = tasks;
  const { accountId } = account;
  const parts = {
    store,
    wallClock: time.wallClock,
    processId: registry.ownId,
    listMaxRows: 50_000,
    listMaxBytes: 5_000_000,
    workbooks: createWorkbookReaders({ clock: systemClock }),
    listStorage: { listStorageBytes: 100_000_000, listStorageFreeBytes: 1_000_000 },
    retentionMs: 15 * dayMs,
    nearProvider,
  };
  const now = () => time.wallClock.now();
  const modes = new Map<string, Mode>();
  const owner = (listId: string) => ({ accountId, mode: modes.get(listId) ?? mode, listId });
  const list = async (listId: string) => {
    const found = await findList(store.read, owner(listId));
    assert.ok(found);
    return found;
  };
  const start = (listId: string, scope: Awaited<ReturnType<typeof readStartScope>>) => {
    const key = { id: 'key', capped: false };
    const order = { ...owner(listId), key, scope, requestId: randomUUID(), deadlineMs: dayMs, now: now() };
    return store.writeAlone((tx) => startList(tx, order), accountId);
  };
  return {
    ...tasks,
    listParts: parts,
    now,
    list,
    start,
    change: (change: typeof pauseList, listId: string) =>
      store.writeAlone((tx) => change(tx, { ...owner(listId), now: now() }), accountId),
    upload: async (file: string, caller = account.live) => {
      const content = Readable.from([Buffer.from(file)]);
      const request = { caller, requestId: randomUUID(), name: 'list', content, split: false };
      const { listId } = await receiveList(request, parts);
      await store.write((tx) => revealList(tx, listId));
      modes.set(listId, caller.mode);
      return listId;
    },
    startAll: async (listId: string) => {
      const scope = await readStartScope(store.read, await list(listId));
      assert.deepEqual(await start(listId, scope), { kind: 'started' });
      await planAhead(store, { accountId, listId, now: now() });
    },
    runOne: async () => {
      const claim = await tasks.claim();
      assert.ok(claim);
      return runListTask(claim, tasks.parts, { draining: never, cut: never });
    },
  };
}

const people = (count: number) =>
  Array.from({ length: count }, (_, n) => `person${n}@d${String(n % 10)}.example`).join('\n');

for (const database of oneDatabase) {
  describe(`the run of a list on ${database.name}`, () => {
    it('a worker that lost its task settles nothing; the one that has it does', async () => {
      const run = await openRun(database);
      const id = await run.upload(people(20));
      await run.startAll(id);
      const slow = await run.claim('slow');
      assert.ok(slow);
      run.time.advance(leaseMs);
      const taken = await run.claim('successor');
      assert.equal(taken?.taskId, slow.taskId);
      const late = await run.store.write((tx) => settleListTask(tx, slow, run.now()));
      assert.deepEqual(late, { kind: 'stale_fence' });
      assert.equal(
        await runListTask(taken, run.parts, { draining: never, cut: never }),
        'settled',
        'its task is still there',
      );
      assert.equal((await run.list(id)).state, 'completed');
      assert.deepEqual(await run.violations(), []);
      await run.close();
    });

    it('a start that was prepared before a new survey starts nothing', async () => {
      const run = await openRun(database);
      const id = await run.upload('one,two\na@x.example,b@x.example\nc@x.example,d@x.example\n');
      const scope = await readStartScope(run.store.read, await run.list(id));
      const { accountId } = run.account;
      const wish = { accountId, mode, listId: id, column: 1, split: undefined };
      assert.equal((await changeColumn(wish, run.listParts)).kind, 'changed');
      assert.deepEqual(await run.start(id, scope), { kind: 'wrong_state', state: 'surveyed' });
      assert.deepEqual(await run.balance(), [10_000, 0, 0]);
      await run.startAll(id);
      await run.runOne();
      assert.deepEqual(run.asked.toSorted(), ['b@x.example', 'd@x.example']);
      await run.close();
    });

    it('is due when the first of its deferred addresses is, whatever is deferred later', async () => {
      const run = await openRun(database);
      const id = await run.upload(people(300));
      const startedAt = run.now();
      run.mind.answer = (email) => (/1\d@/.test(email) ? deferred(email) : safe(email));
      await run.startAll(id);
      await run.runOne();
      run.time.advance(100_000);
      run.mind.answer = (email) => deferred(email);
      await run.runOne();
      const { nextDue, waiting } = (await run.list(id)).run;
      assert.equal(nextDue, startedAt + deferralMs);
      run.mind.answer = (email) => safe(email);
      run.time.advance(deferralMs - 100_000);
      await run.sweep();
      const later = (await run.list(id)).run;
      assert.deepEqual([later.nextDue, later.waiting], [nextDue + 100_000, 100]);
      assert.ok(waiting > 100, 'those of the first task were handed out, and no other');
      await run.close();
    });

    it('is due when the first address of a task is that was deferred at different times', async () => {
      const run = await openRun(database);
      const id = await run.upload('a@a.example\nb@b.example\nc@c.example\n');
      await run.startAll(id);
      const startedAt = run.now();
      let before: Promise<unknown> = Promise.resolve();
      run.mind.answer = (email) => {
        const answered = before.then(() => {
          run.time.advance(1_000);
          return deferred(email);
        });
        before = answered.then(() => nextTurn());
        return answered;
      };
      await run.runOne();
      const { nextDue, waiting } = (await run.list(id)).run;
      assert.deepEqual([nextDue, waiting], [startedAt + 1_000 + deferralMs, 3]);
      await run.close();
    });

    it('of the sandbox costs nothing', async () => {
      const run = await openRun(database);
      const id = await run.upload(people(5), run.account.test);
      await run.startAll(id);
      assert.deepEqual(await run.balance(), [10_000, 0, 0]);
      await run.close();
    });

    it('paused or resumed twice is paused or resumed once', async () => {
      const run = await openRun(database);
      const id = await run.upload(people(5));
      await run.startAll(id);
      for (const change of [pauseList, pauseList, resumeList, resumeList])
        assert.deepEqual(await run.change(change, id), { kind: 'done' });
      await run.close();
    });

    it('paused while a task is under way, begins no further address and keeps the rest for later', async () => {
      const run = await openRun(database);
      const id = await run.upload(people(50));
      await run.startAll(id);
      const seen: number[] = [];
      run.mind.answer = async (email) => {
        if (run.asked.length === 4) await run.change(pauseList, id);
        seen.push((await run.list(id)).run.finishing);
        return safe(email);
      };
      const slots = createSlots({ clock: run.time, limits: { total: 4, perAccount: 4, bulk: 4 } });
      const claim = await run.claim();
      assert.ok(claim);
      const parts = { ...run.parts, slots };
      assert.equal(await runListTask(claim, parts, { draining: never, cut: never }), 'settled');
      const { state, run: ran } = await run.list(id);
      assert.deepEqual([state, ran.checked, ran.conclusive, ran.finishing], ['paused', 4, 4, 0]);
      assert.ok(Math.max(...seen) === 4, 'it says how many are finishing');
      assert.equal(await run.claim(), undefined, 'nobody goes on with it');
      assert.deepEqual(await run.violations(), []);

      run.mind.answer = safe;
      await run.change(resumeList, id);
      assert.equal(await run.runOne(), 'settled');
      assert.equal((await run.list(id)).state, 'completed');
      assert.equal(new Set(run.asked).size, run.asked.length, 'each address is asked once');
      assert.deepEqual(await run.balance(), [9_950, 0, 50]);
      assert.deepEqual(await run.violations(), []);
      await run.close();
    });

    it('paused until all its tasks are done, goes on with the addresses that are left when it is resumed', async () => {
      const run = await openRun(database);
      const id = await run.upload(people(250));
      await run.start(id, await readStartScope(run.store.read, await run.list(id)));
      const claims = [await run.claim(), await run.claim()].filter((claim) => claim !== undefined);
      const paused = Promise.withResolvers<unknown>();
      run.mind.answer = async (email) => {
        if (run.asked.length === 200) paused.resolve(await run.change(pauseList, id));
        await paused.promise;
        return safe(email);
      };
      const slots = createSlots({ clock: run.time, limits: { total: 200, perAccount: 200, bulk: 200 } });
      const parts = { ...run.parts, slots };
      await Promise.all(claims.map((claim) => runListTask(claim, parts, { draining: never, cut: never })));
      const { state, run: ran } = await run.list(id);
      assert.deepEqual([state, ran.checked], ['paused', 200]);
      assert.equal(await run.claim(), undefined);

      await run.change(resumeList, id);
      assert.equal(await run.runOne(), 'settled');
      assert.equal((await run.list(id)).state, 'completed');
      assert.deepEqual(await run.balance(), [9_750, 0, 250]);
      await run.close();
    });

    it('paused or resumed by a program of the version before, pauses and goes on all the same', async () => {
      const run = await openRun(database);
      const id = await run.upload(people(5));
      await run.startAll(id);
      await run.execute(`update list set state = 'paused' where id = '${id}'`);
      const stopped = AbortSignal.abort();
      const parts = { ...run.parts, listWatch: { follow: () => ({ stopped, end: () => undefined }) } };
      const claim = await run.claim();
      assert.ok(claim);
      assert.equal(await runListTask(claim, parts, { draining: never, cut: never }), 'settled');
      assert.equal(await run.claim(), undefined);
      await run.execute(`update list set state = 'running' where id = '${id}'`);
      await run.sweep();
      assert.equal(await run.runOne(), 'settled');
      assert.equal((await run.list(id)).state, 'completed');
      await run.close();
    });

    it('paused, deleted gives its credits back; paused past its deadline ends', async () => {
      const run = await openRun(database);
      const [deleted, ended] = [await run.upload(people(5)), await run.upload(people(7))];
      for (const id of [deleted, ended]) {
        await run.startAll(id);
        await run.change(pauseList, id);
      }
      assert.deepEqual(await run.balance(), [9_988, 12, 0]);
      await run.change(deleteList, deleted);
      assert.deepEqual(await run.balance(), [9_993, 7, 0]);
      run.time.advance(dayMs);
      await run.sweep();
      assert.equal((await run.list(ended)).state, 'completed');
      assert.deepEqual(await run.balance(), [10_000, 0, 0]);
      await run.close();
    });

    it('has no address that waits once it has ended, and cannot be cancelled then', async () => {
      const run = await openRun(database);
      const id = await run.upload(people(5));
      await run.startAll(id);
      run.mind.answer = (email) => deferred(email);
      await run.runOne();
      assert.equal((await run.list(id)).run.waiting, 5);
      run.time.advance(dayMs);
      await run.sweep();
      const { state, run: ended } = await run.list(id);
      assert.deepEqual([state, ended.waiting, ended.nextDue], ['completed', 0, null]);
      assert.deepEqual(await run.change(cancelList, id), { kind: 'wrong_state', state: 'completed' });
      await run.close();
    });

    it('another column keeps the choice to split, and is refused once the list runs', async () => {
      const run = await openRun(database);
      const id = await run.upload('one,two\na@x.example,b@x.example\n');
      const { accountId } = run.account;
      const change = (column: number, split?: boolean) =>
        changeColumn({ accountId, mode, listId: id, column, split }, run.listParts);
      await change(1, true);
      await change(0);
      assert.equal((await run.list(id)).split, true);
      await run.startAll(id);
      assert.deepEqual(await change(1), { kind: 'wrong_state', state: 'running' });
      await run.close();
    });

    it('is there until its time is over, and then gone', async () => {
      const run = await openRun(database);
      const id = await run.upload(people(5));
      run.time.advance(15 * dayMs - 1);
      await run.sweep();
      assert.equal((await run.list(id)).state, 'surveyed');
      run.time.advance(1);
      await run.sweep();
      const { accountId } = run.account;
      assert.equal(await findList(run.store.read, { accountId, mode, listId: id }), undefined);
      await run.close();
    });

    it('a process that dies takes no upload with it but its own', async () => {
      const run = await openRun(database);
      const abandon = (processId: string) => run.store.write((tx) => abandonListsOf(tx, processId));
      const abandoned: number[] = [];
      async function* content() {
        yield Buffer.from(people(5));
        abandoned.push(await abandon('another'), await abandon(run.registry.ownId));
      }
      const request = {
        caller: run.account.live,
        requestId: 'r',
        name: '',
        content: content(),
        split: false,
      };
      await receiveList(request, run.listParts);
      assert.deepEqual(abandoned, [0, 1]);
      await run.close();
    });

    it('does not forget the addresses that wait while it hands out new ones', async () => {
      const run = await openRun(database);
      const id = await run.upload(people(3_500));
      await run.startAll(id);
      const due = run.now() + deferralMs;
      run.mind.answer = (email) => deferred(email);
      await run.runOne();
      run.mind.answer = (email) => safe(email);
      await run.runOne();
      const { nextDue, waiting } = (await run.list(id)).run;
      assert.deepEqual([nextDue, waiting], [due, 100]);
      await run.close();
    });
  });
}
