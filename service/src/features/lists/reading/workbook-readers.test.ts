import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { systemClock } from '@mailproof/engine';
import { createTestClock } from '../../../../../engine/test/support/test-clock.ts';
import { makeWorkbook } from '../../../../test/support/make-workbook.ts';
import { until } from '../../../../test/support/until.ts';
import type { ListFile } from './list-file.ts';
import { readInThread } from './read-in-thread.ts';
import { createWorkbookReaders, type ReadWorkbook } from './workbook-readers.ts';
import { workbookLimits } from './workbook-limits.ts';
import type { SheetPart } from './workbook-thread.ts';

const noFile: ListFile = {
  size: 0,
  pieces: () => {
    throw new Error('nobody reads it');
  },
  slice: () => Promise.resolve(new Uint8Array()),
};
const sheet = 'xl/worksheets/sheet1.xml';
const job = { kind: 'rows' as const, sheet };
const live = (accountId: string) => ({ accountId, mode: 'live' as const });

function fileOf(bytes: Buffer): ListFile {
  async function* pieces() {
    yield await Promise.resolve(bytes);
  }
  return { size: bytes.length, pieces, slice: (start, end) => Promise.resolve(bytes.subarray(start, end)) };
}

async function rowsOf(parts: AsyncIterable<SheetPart>): Promise<string[]> {
  const rows: string[] = [];
  for await (const part of parts) rows.push(...part.rows.map((cells) => cells.join()));
  return rows;
}

/** Readers that never end; says how many there are. */
function openReaders() {
  const reading: number[] = [];
  const read: ReadWorkbook = async function* () {
    reading.push(reading.length);
    await Promise.withResolvers<undefined>().promise;
    yield* [];
  };
  const readers = createWorkbookReaders({ clock: createTestClock(), read });
  const start = (owner: Parameters<typeof readers.readerFor>[0]): void =>
    void rowsOf(readers.readerFor(owner)(noFile, job));
  return { reading, start };
}

describe('the threads that read workbooks', () => {
  it('are few, however many files wait, and an account has two at most; its test keys have their own', async () => {
    const { reading, start } = openReaders();
    for (let n = 0; n < 20; n += 1) start(live('greedy'));
    await until(() => reading.length === workbookLimits.readersOfAccount);
    for (let n = 0; n < 20; n += 1) start({ accountId: 'greedy', mode: 'test' });
    await until(() => reading.length === workbookLimits.readers);
    start(live('other'));
    await new Promise(setImmediate);
    assert.equal(reading.length, workbookLimits.readers);
  });

  it('go to accounts in turn: one file does not wait for the many of another account', async () => {
    const order: string[] = [];
    const gates: (() => void)[] = [];
    const readers = createWorkbookReaders({
      clock: createTestClock(),
      limits: { ...workbookLimits, readers: 1, readersOfAccount: 1 },
      read: async function* (file) {
        order.push(String(file.size));
        await new Promise<void>((resolve) => gates.push(resolve));
        yield* [];
      },
    });
    const ends: Promise<unknown>[] = [];
    const start = (account: string, size: number) =>
      ends.push(rowsOf(readers.readerFor(live(account))({ ...noFile, size }, job)));
    for (const size of [1, 2, 3]) start('many', size);
    start('one', 10);
    start('two', 20);
    for (let ended = 0; ended < 5; ended += 1) {
      await until(() => gates.length > ended);
      gates[ended]?.();
    }
    await Promise.all(ends);
    assert.deepEqual(order, ['1', '2', '10', '20', '3']);
  });

  it('leave a slow consumer while others wait, and it goes on where it was, with each row once', async () => {
    const clock = createTestClock();
    let threads = 0;
    const readers = createWorkbookReaders({
      clock,
      limits: { ...workbookLimits, readers: 1, readersOfAccount: 1 },
      read: async function* (file, work) {
        threads += 1;
        yield* readInThread(file, work);
      },
    });
    const names = Array.from({ length: 2_600 }, (_, n) => `a${n}@x.example`);
    const xml = names.map((name) => `<row><c t="inlineStr"><is><t>${name}</t></is></c></row>`).join('');
    const file = fileOf(await makeWorkbook({ sheets: [{ name: 'A', xml }] }));

    const slow = readers.readerFor(live('slow'))(file, job);
    const seen = await slow.next();
    assert.ok(seen.done !== true);
    clock.advance(10 * workbookLimits.readerIdleMs);
    const more = await slow.next();
    assert.ok(more.done !== true);
    assert.equal(threads, 1, 'nobody waits, so it keeps its thread');
    const quick = rowsOf(readers.readerFor(live('quick'))(file, job));
    clock.advance(workbookLimits.readerIdleMs);
    assert.deepEqual(await quick, names, 'it did not have to wait for the slow one');
    const rest = await rowsOf(slow);
    const before = [...seen.value.rows, ...more.value.rows].map((cells) => cells.join());
    assert.deepEqual([...before, ...rest], names);
    assert.equal(threads, 3);
  });

  it('come back when a consumer stops early or a file cannot be read', async () => {
    const readers = createWorkbookReaders({
      clock: systemClock,
      limits: { ...workbookLimits, readers: 1, readersOfAccount: 1 },
    });
    const read = readers.readerFor(live('one'));
    const xml = '<row><c t="inlineStr"><is><t>a@x.example</t></is></c></row>';
    const file = fileOf(await makeWorkbook({ sheets: [{ name: 'A', xml }] }));
    for await (const part of read(file, job)) {
      assert.ok(part);
      break;
    }
    await assert.rejects(rowsOf(read(fileOf(Buffer.from('PK no workbook')), job)));
    assert.deepEqual(await rowsOf(read(file, job)), ['a@x.example']);
  });
});
