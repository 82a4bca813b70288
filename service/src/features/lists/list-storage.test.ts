import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { systemClock } from '@mailproof/engine';
import { nearProvider } from '../../../test/support/near-provider.ts';
import { databases, type TestDatabase } from '../../../test/support/databases.ts';
import { openAccount } from '../../../test/support/open-account.ts';
import { openTaskFixture } from '../../../test/support/open-task-fixture.ts';
import { createSandboxAllowance } from '../../core/verify/sandbox/sandbox-allowance.ts';
import { createListActions, type CreateListRequest } from './list-actions.ts';
import { ListProblem } from './reading/list-problem.ts';
import { createWorkbookReaders } from './reading/workbook-readers.ts';

const megabyte = 1_000_000;
/** Rows of ten thousand bytes. */
function file(bytes: number): Uint8Array {
  const row = (_: unknown, n: number) => `a${n}@x.example,`.padEnd(9_999, 'n');
  return Buffer.from(['email,note', ...Array.from({ length: bytes / 10_000 }, row)].join('\n'));
}

async function openStorage(database: TestDatabase) {
  const tasks = await openTaskFixture(database, 10);
  const { store, registry, time, account } = tasks;
  const actions = createListActions({
    store,
    wallClock: time.wallClock,
    processId: registry.ownId,
    listMaxRows: 100_000,
    listMaxBytes: 5 * megabyte,
    listStorage: { listStorageBytes: 3 * megabyte, listStorageFreeBytes: 1.5 * megabyte },
    workbooks: createWorkbookReaders({ clock: systemClock }),
    listDeadlineMs: 86_400_000,
    retentionMs: 86_400_000,
    sandboxAllowance: createSandboxAllowance({ clock: time, addressesPerHour: 1_000_000 }),
    nearProvider,
    wake: () => undefined,
  });
  async function* inPieces(bytes: Uint8Array, onPiece?: (at: number) => Promise<void>) {
    for (let at = 0; at < bytes.length; at += 65_536) {
      await onPiece?.(at);
      yield bytes.subarray(at, at + 65_536);
    }
  }
  /** `told`: the client says how large the file is. */
  const upload = async (
    bytes: Uint8Array,
    more: Partial<CreateListRequest> & { told?: boolean; onPiece?: (at: number) => Promise<void> } = {},
  ): Promise<string> => {
    const { told = true, onPiece, ...rest } = more;
    const answer = await actions.create({
      caller: account.live,
      requestId: 'r',
      name: 'list',
      content: inPieces(bytes, onPiece),
      declaredBytes: told ? bytes.length : undefined,
      column: undefined,
      split: false,
      idempotency: undefined,
      ...rest,
    });
    assert.ok(answer.kind === 'created');
    return answer.list.id;
  };
  const refusalOf = async (work: Promise<unknown>): Promise<string> => {
    const refused: unknown = await work.then(
      () => undefined,
      (error: unknown) => error,
    );
    assert.ok(refused instanceof ListProblem, 'it was taken');
    assert.equal(refused.kind, 'list_too_large');
    return refused.message;
  };
  return { ...tasks, actions, upload, refusalOf };
}

for (const database of databases) {
  describe(`storage of lists on ${database.name}`, () => {
    it('an account stores no more than its limit, and deleting a list makes room at once', async () => {
      const { upload, refusalOf, actions, account, close } = await openStorage(database);
      const first = await upload(file(2 * megabyte));
      for (const told of [true, false])
        assert.equal(
          await refusalOf(upload(file(1.5 * megabyte), { told })),
          'Your lists take 2 MB of the 3 MB that your account may store, and this one does not fit. Delete lists that you no longer need. Then upload it again.',
        );
      await upload(file(0.9 * megabyte), { told: false });
      await actions.remove(account.live, first);
      await upload(file(2 * megabyte));
      await close();
    });

    it('an account that was never granted credits has less room, and is told that credits make more', async () => {
      const { store, time, upload, refusalOf, close } = await openStorage(database);
      const { live } = await openAccount({ store, wallClock: time.wallClock }, 0);
      const message = await refusalOf(upload(file(2 * megabyte), { caller: live }));
      assert.match(message, /of the 1.5 MB that an account without credits may store.*add credits/);
      await upload(file(1.4 * megabyte), { caller: live });
      await upload(file(2 * megabyte));
      await close();
    });

    it('lists of test keys take none of the room of live ones, and accounts none of each other’s', async () => {
      const { store, time, account, upload, refusalOf, close } = await openStorage(database);
      await upload(file(2.5 * megabyte), { caller: account.test });
      const message = await refusalOf(upload(file(2.5 * megabyte), { caller: account.test }));
      assert.match(message, /^The lists of your test keys take 2.5 MB of the 3 MB/);
      await upload(file(2.5 * megabyte));
      const other = await openAccount({ store, wallClock: time.wallClock }, 10);
      await upload(file(2.5 * megabyte), { caller: other.live });
      await close();
    });

    it('uploads that run side by side do not exceed the limit together, whether they tell their size or not', async () => {
      const { upload, refusalOf, close } = await openStorage(database);
      for (const [told, other] of [
        [true, 2.4],
        [false, 1.7],
      ] as const) {
        const [begun, goOn] = [Promise.withResolvers<undefined>(), Promise.withResolvers<undefined>()];
        const slow = upload(file(0.7 * megabyte), {
          told,
          onPiece: async (at) => {
            if (at < 0.6 * megabyte) return;
            begun.resolve(undefined);
            await goOn.promise;
          },
        });
        await begun.promise;
        await refusalOf(upload(file(other * megabyte)));
        goOn.resolve(undefined);
        await slow;
      }
      await close();
    });

    it('rows count as well: a small file of many lines does not fill the database', async () => {
      const { upload, refusalOf, close } = await openStorage(database);
      const lines = Buffer.from(`a@x.example\n${'\n'.repeat(30_000)}b@x.example\n`);
      const message = await refusalOf(upload(lines));
      assert.match(message, /^Your lists take 0 MB of the 3 MB/);
      await close();
    });

    it('a refused, a broken and a repeated upload take no room', async () => {
      const { upload, refusalOf, actions, account, close } = await openStorage(database);
      await assert.rejects(upload(Buffer.from(`name\n${'n\n'.repeat(1_000_000)}`)), ListProblem);
      const broken = upload(file(2 * megabyte), { onPiece: () => Promise.reject(new Error('hung up')) });
      await assert.rejects(broken, /hung up/);
      const idempotency = { key: 'k', hashWith: (hash: string) => hash };
      const first = await upload(file(2 * megabyte), { idempotency });
      assert.equal(await upload(file(2 * megabyte), { idempotency }), first, 'the repetition is answered');
      await refusalOf(upload(file(2 * megabyte)));
      await upload(file(0.9 * megabyte));
      const { lists } = await actions.page({ caller: account.live, limit: 10, after: undefined });
      assert.equal(lists.length, 2);
      await close();
    });
  });
}
