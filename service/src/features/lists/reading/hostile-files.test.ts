import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { hostileShapes, makeHostileFiles } from '../../../../test/support/hostile-files.ts';
import { makeWorkbook, sheetOf } from '../../../../test/support/make-workbook.ts';
import { rowsOfLine } from '../survey-list.ts';
import { ListProblem } from './list-problem.ts';
import { readInThread } from './read-in-thread.ts';
import { planReading, readList } from './read-list.ts';

function fileOf(bytes: Buffer) {
  return {
    size: bytes.length,
    async *pieces() {
      for (let at = 0; at < bytes.length; at += 65_536)
        yield await Promise.resolve(bytes.subarray(at, at + 65_536));
    },
    slice: (start: number, end: number) => Promise.resolve(Buffer.from(bytes.subarray(start, end))),
  };
}

async function countRows(bytes: Buffer): Promise<Record<string, number>> {
  const file = fileOf(bytes);
  const plan = await planReading(file, { isValidUtf8: true });
  const counts: Record<string, number> = { address: 0, blank: 0, rejected: 0 };
  for await (const lines of readList(file, plan))
    for (const { kind } of lines.flatMap((line) => rowsOfLine(line, plan, { split: false })))
      counts[kind] = (counts[kind] ?? 0) + 1;
  return counts;
}

describe('a hostile file is read or refused, and is never our failure', () => {
  it('each shape once', async () => {
    const outcomes: string[] = [];
    for await (const { name, bytes } of makeHostileFiles({ count: hostileShapes(), seed: 30, most: 200_000 }))
      try {
        await countRows(bytes);
        outcomes.push(`${name}: read`);
      } catch (error) {
        assert.ok(error instanceof ListProblem, `${name}: ${String(error)}`);
        outcomes.push(`${name}: ${error.kind}`);
      }
    assert.equal(outcomes.length, hostileShapes());
    assert.ok(outcomes.some((outcome) => outcome.endsWith('read')));
  });

  it('five million nested elements in 17 kB', async () => {
    const xml = `<?xml version="1.0"?><worksheet>${'<a>'.repeat(5_000_000)}`;
    const bytes = await makeWorkbook({ sheets: [{ name: 'A', xml }] });
    assert.ok(bytes.length < 20_000);
    await assert.rejects(countRows(bytes), /nested too deeply/);
  });

  it('half a million blank rows in a small workbook', async () => {
    const row = (_: unknown, n: number) => `<row r="${1_000 * (n + 1)}"><c t="str"><v>x</v></c></row>`;
    const gaps = (count: number): Promise<Buffer> =>
      makeWorkbook({
        sheets: [
          {
            name: 'A',
            xml: sheetOf([['Email'], ['a@x.example']]) + Array.from({ length: count }, row).join(''),
          },
        ],
      });
    await assert.rejects(countRows(await gaps(500)), /far more rows or text than its size explains/);
    assert.equal((await countRows(await gaps(100)))['blank'], 99_898);
  });
});

describe('a workbook with far rows is read as it looks', () => {
  const table = sheetOf([['Email'], ['a@x.example'], ['b@x.example']]);
  const stray = (row: string, text: string) =>
    `<row r="${row}"><c r="A${row}" t="str"><v>${text}</v></c></row>`;
  const cases: [string, string, Record<string, number>][] = [
    ['an empty row at the very end', '<row r="1048576"/>', { address: 2, blank: 0, rejected: 0 }],
    ['a stray cell at the very end', stray('1048576', 'x'), { address: 2, blank: 0, rejected: 1 }],
    ['an address far below', stray('500000', 'c@x.example'), { address: 3, blank: 0, rejected: 0 }],
    ['a gap that a person may mean', stray('10', 'c@x.example'), { address: 3, blank: 6, rejected: 0 }],
    ['a row beyond all rows', stray('99999999', 'c@x.example'), { address: 3, blank: 0, rejected: 0 }],
  ];
  for (const [name, xml, expected] of cases)
    it(name, async () => {
      const bytes = await makeWorkbook({ sheets: [{ name: 'A', xml: table + xml }] });
      assert.deepEqual(await countRows(bytes), expected);
    });
});

describe('the thread that reads a workbook', () => {
  const whole = async (limits: { heapMb: number; silenceMs: number }): Promise<void> => {
    const bytes = await makeWorkbook({
      sheets: [{ name: 'A', xml: sheetOf([['a@x.example']]) }],
      // They are kept until the end; for a heap this small they are too many.
      more: Object.fromEntries(Array.from({ length: 2_000 }, (_, n) => [`part${n}`, ''])),
    });
    const parts = readInThread(fileOf(bytes), { kind: 'rows', sheet: 'xl/worksheets/sheet1.xml' }, limits);
    while ((await parts.next()).done !== true);
  };

  it('runs out of memory: the file is refused and the process goes on', async () => {
    await assert.rejects(whole({ heapMb: 10, silenceMs: 60_000 }), /takes more memory/);
  });

  it('hands nothing on for too long: the file is refused', async () => {
    await assert.rejects(whole({ heapMb: 28, silenceMs: 0 }), /takes more time/);
  });
});
