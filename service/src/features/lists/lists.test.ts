import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { describe, it } from 'node:test';
import { Readable } from 'node:stream';
import { text as textOf } from 'node:stream/consumers';
import { systemClock } from '@mailproof/engine';
import { oneDatabase } from '../../../test/support/databases.ts';
import { nearProvider } from '../../../test/support/near-provider.ts';
import { openTaskFixture } from '../../../test/support/open-task-fixture.ts';
import { deferred, mistyped, safe, unknown } from '../../../test/support/outcomes.ts';
import { until } from '../../../test/support/until.ts';
import { statement } from '../../core/store/statement.ts';
import type { Claim } from '../../core/verify/tasks/claim-task.ts';
import { findList } from './list.ts';
import { planAhead } from './plan-tasks.ts';
import { readProgress } from './read-lists.ts';
import { receiveList, revealList } from './receive-list.ts';
import { createWorkbookReaders } from './reading/workbook-readers.ts';
import { ListProblem } from './reading/list-problem.ts';
import { runListTask } from './run-list-task.ts';
import { readStartScope, startList } from './start-list.ts';
import { cancelList, deleteList, pauseList, resumeList } from './stop-list.ts';
import { writeDownload } from './write-download.ts';
import { readRowChoice } from './row-result.ts';

const never = new AbortController().signal;
const hourMs = 3_600_000;

async function openListFixture(database: (typeof oneDatabase)[number], credits = 10_000) {
  const tasks = await openTaskFixture(database, credits);
  const { store, registry, time, account } = tasks;
  const parts = {
    store,
    wallClock: time.wallClock,
    processId: registry.ownId,
    listMaxRows: 50_000,
    listMaxBytes: 5_000_000,
    workbooks: createWorkbookReaders({ clock: systemClock }),
    listStorage: { listStorageBytes: 100_000_000, listStorageFreeBytes: 1_000_000 },
    retentionMs: 15 * 24 * hourMs,
    nearProvider,
  };
  const accountId = account.live.accountId;

  function inPieces(file: string | Uint8Array, bytes = 1_000): AsyncIterable<Uint8Array> {
    const whole = Buffer.from(file);
    const pieces = Array.from({ length: Math.ceil(whole.length / bytes) }, (_, n) =>
      whole.subarray(n * bytes, (n + 1) * bytes),
    );
    return Readable.from(pieces);
  }
  async function upload(
    file: string | Uint8Array,
    more: { split?: boolean; caller?: typeof account.live } = {},
  ) {
    const { split = false, caller = account.live } = more;
    const request = { caller, requestId: randomUUID(), name: 'list', content: inPieces(file), split };
    const { listId } = await receiveList(request, parts);
    await store.write((tx) => revealList(tx, listId));
    return listId;
  }
  const now = () => time.wallClock.now();
  const order = (listId: string) => ({ accountId, mode: 'live' as const, listId, now: now() });
  return {
    ...tasks,
    taskParts: tasks.parts,
    parts,
    inPieces,
    upload,
    list: async (listId: string) => (await findList(store.read, order(listId)))!,
    start: async (listId: string, first?: number) => {
      const list = (await findList(store.read, order(listId)))!;
      const scope = await readStartScope(store.read, list, first);
      const key = { id: 'key', capped: false };
      const starting = { ...order(listId), key, scope, requestId: randomUUID(), deadlineMs: 24 * hourMs };
      const answer = await store.writeAlone((tx) => startList(tx, starting), accountId);
      await planAhead(store, order(listId));
      return answer;
    },
    pause: (listId: string) => store.writeAlone((tx) => pauseList(tx, order(listId)), accountId),
    resume: (listId: string) => store.writeAlone((tx) => resumeList(tx, order(listId)), accountId),
    cancel: (listId: string) => store.writeAlone((tx) => cancelList(tx, order(listId)), accountId),
    remove: (listId: string) => store.writeAlone((tx) => deleteList(tx, order(listId)), accountId),
    /** Until no list has a row or a piece of its file. A sweep erases as much as the machine lets it. */
    sweepUntilErased: () =>
      until(async () => {
        await tasks.sweep();
        const rows = await store.read.first(countRows, {});
        const pieces = await store.read.first(countPieces, {});
        return rows?.rows === 0 && pieces?.rows === 0;
      }),
    /** Claims and runs tasks until there is none to claim. */
    work: async () => {
      let ran = 0;
      for (let claim = await tasks.claim(); claim !== undefined; claim = await tasks.claim(), ran += 1)
        await runListTask(claim, tasks.parts, { draining: never, cut: never });
      return ran;
    },
    download: async (listId: string, rows = 'all') => {
      const list = (await findList(store.read, order(listId)))!;
      const choice = readRowChoice(rows, { roles: true })!;
      return textOf(writeDownload(store.read, list, { ...parts, choice, format: 'csv' }));
    },
    progress: async (listId: string) =>
      readProgress(store.read, (await findList(store.read, order(listId)))!, now()),
  };
}

const countRows = statement((db) =>
  db.selectFrom('list_row').select((eb) => eb.fn.countAll<number>().as('rows')),
);
const countPieces = statement((db) =>
  db.selectFrom('list_piece').select((eb) => eb.fn.countAll<number>().as('rows')),
);

async function claimAll(claimOne: () => Promise<Claim | undefined>): Promise<Claim[]> {
  const claims: Claim[] = [];
  for (let claim = await claimOne(); claim !== undefined; claim = await claimOne()) claims.push(claim);
  return claims;
}

const people = (count: number, domains = 10) =>
  Array.from({ length: count }, (_, n) => `person${n}@d${n % domains}.example`);

for (const database of oneDatabase) {
  describe(`a list on ${database.name}`, () => {
    it('counts a repeated cell each time, and each of its addresses', async () => {
      const fixture = await openListFixture(database);
      const file = `email\n${'<a@x.test> <b@x.test>\n'.repeat(3)}${'no\n'.repeat(2)}`;
      const { counts } = await fixture.list(await fixture.upload(file, { split: true }));
      assert.deepEqual(counts, { rows: 8, addresses: 2, duplicates: 4, blank: 0, rejected: 2, repaired: 6 });
      await fixture.close();
    });

    it('is surveyed: every row is an address, a duplicate, blank or rejected', async () => {
      const fixture = await openListFixture(database);
      const id = await fixture.upload(
        'name,email\nA,a@x.example\nB,A@X.example\nC,\nD,nobody\nE,Eve <e@x.example>\n',
      );
      const { counts, state, plan } = await fixture.list(id);
      assert.equal(state, 'surveyed');
      assert.deepEqual(counts, { rows: 5, addresses: 2, duplicates: 1, blank: 1, rejected: 1, repaired: 1 });
      assert.equal(plan?.layout.column, 1);
      await fixture.close();
    });

    it('has a mailbox once, with needless quotes or without', async () => {
      const fixture = await openListFixture(database);
      const id = await fixture.upload(
        'name,email\nA,"""ada""@x.example"\nB,ADA@x.example\nC,"""ada l""@x.example"\n',
      );
      const { counts } = await fixture.list(id);
      assert.deepEqual([counts.rows, counts.addresses, counts.duplicates], [3, 2, 1]);
      await fixture.close();
    });

    it('that breaks while it is uploaded leaves nothing', async () => {
      const fixture = await openListFixture(database);
      const broken = new Error('the connection broke');
      async function* content() {
        yield* fixture.inPieces(people(5_000).join('\n'));
        throw broken;
      }
      const request = {
        caller: fixture.account.live,
        requestId: 'r',
        name: '',
        content: content(),
        split: false,
      };
      await assert.rejects(receiveList(request, fixture.parts), broken);
      await assert.rejects(fixture.upload('name,city\nA,B\n'), ListProblem);
      await assert.rejects(fixture.upload(people(50_001).join('\n')), /more than 50,000 rows/);
      await fixture.sweepUntilErased();
      await fixture.close();
    });

    it('charges what was conclusive and gives every row back as it came', async () => {
      const fixture = await openListFixture(database, 300);
      const rows = people(250).map((email, n) => `"No ${n}";${email}`);
      const id = await fixture.upload(`name;email\r\n${rows.join('\r\n')}\r\n${rows[0]!}\r\n`);
      fixture.mind.answer = (email) => (email.includes('7@') ? unknown(email) : safe(email));
      assert.deepEqual(await fixture.start(id), { kind: 'started' });
      assert.deepEqual(await fixture.balance(), [50, 250, 0]);
      assert.equal(await fixture.work(), 3);
      const { state, run } = await fixture.list(id);
      assert.equal(state, 'completed');
      assert.deepEqual([run.checked, run.conclusive], [250, 225]);
      assert.deepEqual(await fixture.balance(), [75, 0, 225]);
      const lines = (await fixture.download(id)).split('\r\n');
      assert.equal(lines.length, 253);
      assert.match(lines[0]!, /^name;email;email_status;email_score;/);
      assert.deepEqual(
        lines.slice(1, -1).map((line) => line.split(';').slice(0, 2).join(';')),
        [...rows, rows[0]!],
      );
      assert.ok(lines[251]!.startsWith(`${rows[0]!};safe;`), 'a duplicate has the answer of its address');
      assert.equal((await fixture.download(id, 'sendable')).split('\r\n').length, 228);
      assert.deepEqual(await fixture.violations(), []);
      await fixture.close();
    });

    it('says which domain was meant beside the answer, and has a column for it only where one was', async () => {
      const fixture = await openListFixture(database);
      const id = await fixture.upload('email\nann@gmial.com\nbo@x.example\n');
      fixture.mind.answer = (email) => (email.includes('gmial') ? mistyped(email) : safe(email));
      await fixture.start(id);
      await fixture.work();
      const lines = (await fixture.download(id)).split('\n');
      assert.match(lines[0]!, /,email_repaired,email_did_you_mean$/);
      assert.match(lines[1]!, /^ann@gmial\.com,invalid,.*,,gmail\.com$/);
      assert.match(lines[2]!, /^bo@x\.example,safe,.*,,$/);
      await fixture.close();
    });

    it('counts the answers of each provider by status', async () => {
      const fixture = await openListFixture(database);
      const id = await fixture.upload(people(30).join('\n'));
      fixture.mind.answer = (email) => (email.includes('7@') ? unknown(email) : safe(email));
      await fixture.start(id);
      await fixture.work();
      const { byProvider, byProviderAndStatus } = await fixture.progress(id);
      assert.deepEqual(byProvider, { none: 30 });
      assert.deepEqual(byProviderAndStatus, { none: { safe: 27, unknown: 3 } });
      await fixture.close();
    });

    it('takes addresses mail domain by mail domain', async () => {
      const fixture = await openListFixture(database);
      const id = await fixture.upload(people(300, 30).join('\n'));
      await fixture.start(id);
      await fixture.work();
      const domains = fixture.asked.map((email) => email.split('@')[1]!);
      const changes = domains.filter((domain, at) => domain !== domains[at - 1]).length;
      assert.equal(changes, 30);
      await fixture.close();
    });

    it('with deferring addresses is otherwise done at once: they hold no place while they wait', async () => {
      const fixture = await openListFixture(database);
      const id = await fixture.upload(people(2_000).join('\n'));
      const visits = new Map<string, number>();
      fixture.mind.answer = (email) => {
        visits.set(email, (visits.get(email) ?? 0) + 1);
        const number = Number(/\d+/.exec(email)?.[0]);
        const greylists = number % 100 === 0 && visits.get(email) === 1;
        return greylists ? deferred(email) : safe(email);
      };
      await fixture.start(id);
      await fixture.work();
      const { run } = await fixture.list(id);
      assert.deepEqual([run.checked, run.waiting, run.planned], [1_980, 20, 2_000]);
      fixture.time.advance(300_000);
      await fixture.sweep();
      await fixture.work();
      const { state } = await fixture.list(id);
      assert.equal(state, 'completed');
      assert.deepEqual(await fixture.balance(), [8_000, 0, 2_000]);
      assert.equal(fixture.asked.length, 2_020);
      assert.deepEqual(await fixture.violations(), []);
      await fixture.close();
    });

    it('is refused without enough credits, and checks the first so many where it is told so', async () => {
      const fixture = await openListFixture(database, 100);
      const id = await fixture.upload(people(150).join('\n'));
      assert.deepEqual(await fixture.start(id), { kind: 'insufficient_credits' });
      assert.deepEqual(await fixture.balance(), [100, 0, 0]);
      assert.deepEqual(await fixture.start(id, 60), { kind: 'started' });
      await fixture.work();
      assert.deepEqual(await fixture.balance(), [40, 0, 60]);
      assert.deepEqual(new Set(fixture.asked), new Set(people(60)));
      assert.match(await fixture.download(id), /person60@d0\.example,,,,,not_wanted,\n/);
      assert.deepEqual(await fixture.start(id), { kind: 'wrong_state', state: 'completed' });
      await fixture.close();
    });

    it('of which only so many are wanted is counted slice by slice', async () => {
      const fixture = await openListFixture(database);
      const id = await fixture.upload(
        `email,n\n${people(12_000)
          .map((email) => `${email},1\n,2`)
          .join('\n')}`,
      );
      const list = await fixture.list(id);
      assert.deepEqual([list.counts.addresses, list.counts.blank], [12_000, 12_000]);
      for (const [first, lastRow] of [
        [1, 1],
        [5_000, 9_999],
        [5_001, 10_001],
        [11_000, 21_999],
        [12_000, 24_000],
      ] as const)
        assert.equal((await readStartScope(fixture.store.read, list, first)).lastRow, lastRow);
      await fixture.close();
    });

    it('whose tasks end side by side hands out every address once', async () => {
      const fixture = await openListFixture(database, 10_000);
      const id = await fixture.upload(people(8_000).join('\n'));
      await fixture.start(id);
      for (
        let claims = await claimAll(fixture.claim);
        claims.length > 0;
        claims = await claimAll(fixture.claim)
      )
        await Promise.all(
          claims.map((claim) => runListTask(claim, fixture.taskParts, { draining: never, cut: never })),
        );
      assert.equal((await fixture.list(id)).state, 'completed');
      assert.equal(fixture.asked.length, 8_000);
      assert.equal(new Set(fixture.asked).size, 8_000);
      assert.deepEqual(await fixture.balance(), [2_000, 0, 8_000]);
      assert.deepEqual(await fixture.violations(), []);
      await fixture.close();
    });

    it('cancelled while its last task ends is either completed or cancelled, and says which', async () => {
      const fixture = await openListFixture(database, 10_000);
      const id = await fixture.upload(people(50).join('\n'));
      await fixture.start(id);
      const claim = (await fixture.claim())!;
      const running = runListTask(claim, fixture.taskParts, { draining: never, cut: never });
      while (fixture.asked.length < 50) await new Promise(setImmediate);
      const answers = Array.from({ length: 20 }, async () => {
        await new Promise(setImmediate);
        return fixture.cancel(id);
      });
      const kinds = new Set((await Promise.all(answers)).map(({ kind }) => kind));
      await running;
      const { state, run } = await fixture.list(id);
      assert.deepEqual([...kinds], [state === 'cancelled' ? 'done' : 'wrong_state']);
      assert.deepEqual(await fixture.balance(), [10_000 - run.checked, 0, run.checked]);
      assert.deepEqual(await fixture.violations(), []);
      await fixture.close();
    });

    it('paused hands out no more; resumed goes on; each address is asked once', async () => {
      const fixture = await openListFixture(database, 10_000);
      const id = await fixture.upload(people(5_000).join('\n'));
      await fixture.start(id);
      await fixture.pause(id);
      assert.equal(await fixture.work(), 0);
      assert.equal((await fixture.list(id)).run.checked, 0);
      assert.deepEqual(await fixture.resume(id), { kind: 'done' });
      await fixture.work();
      assert.equal((await fixture.list(id)).state, 'completed');
      assert.equal(new Set(fixture.asked).size, 5_000);
      assert.equal(fixture.asked.length, 5_000);
      assert.deepEqual(await fixture.violations(), []);
      await fixture.close();
    });

    it('cancelled keeps and charges what was checked and returns the rest; a late worker changes nothing', async () => {
      const fixture = await openListFixture(database, 10_000);
      const id = await fixture.upload(people(5_000).join('\n'));
      await fixture.start(id);
      for (let task = 0; task < 3; task += 1)
        await runListTask((await fixture.claim())!, fixture.taskParts, { draining: never, cut: never });
      const late = (await fixture.claim())!;
      assert.deepEqual(await fixture.cancel(id), { kind: 'done' });
      assert.deepEqual(await fixture.balance(), [9_700, 0, 300]);
      assert.equal(await runListTask(late, fixture.taskParts, { draining: never, cut: never }), 'lease_lost');
      assert.deepEqual(await fixture.balance(), [9_700, 0, 300]);
      assert.equal((await fixture.list(id)).run.checked, 300);
      assert.deepEqual(await fixture.cancel(id), { kind: 'done' });
      assert.equal((await fixture.claim())?.taskId, undefined);
      assert.deepEqual(await fixture.violations(), []);
      await fixture.close();
    });

    it('deleted while it runs is gone at once, and erased', async () => {
      const fixture = await openListFixture(database, 10_000);
      const id = await fixture.upload(people(3_500).join('\n'));
      await fixture.start(id);
      assert.deepEqual(await fixture.remove(id), { kind: 'done' });
      assert.equal(await fixture.list(id), undefined);
      assert.deepEqual(await fixture.balance(), [10_000, 0, 0]);
      await fixture.sweepUntilErased();
      assert.equal((await fixture.contents()).includes('person17@'), false);
      assert.deepEqual(await fixture.violations(), []);
      await fixture.close();
    });

    it('past its deadline is completed: what has no answer is unknown and free', async () => {
      const fixture = await openListFixture(database, 1_000);
      const id = await fixture.upload(people(200).join('\n'));
      await fixture.start(id);
      await runListTask((await fixture.claim())!, fixture.taskParts, { draining: never, cut: never });
      fixture.time.advance(25 * hourMs);
      await fixture.sweep();
      assert.equal((await fixture.list(id)).state, 'completed');
      assert.deepEqual(await fixture.balance(), [900, 0, 100]);
      assert.deepEqual((await fixture.progress(id)).byStatus, { safe: 100, unknown: 100 });
      assert.match(await fixture.download(id, 'unknown'), /unknown,,,,deadline_reached/);
      assert.deepEqual(await fixture.violations(), []);
      await fixture.close();
    });
  });
}
