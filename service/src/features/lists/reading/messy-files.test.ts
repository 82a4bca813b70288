import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { messyFiles, refusedFiles, type MessyFile } from '../../../../test/support/messy-files.ts';
import { rowsOfLine } from '../survey-list.ts';
import { ListProblem } from './list-problem.ts';
import { planReading, readList } from './read-list.ts';

async function reading({ file, column, split = false }: Omit<MessyFile, 'reads'>): Promise<string> {
  const bytes = Buffer.from(await file);
  const listFile = {
    size: bytes.length,
    // Small pieces: no character, quote or line end may depend on where one ends.
    async *pieces() {
      for (let at = 0; at < bytes.length; at += 5) yield await Promise.resolve(bytes.subarray(at, at + 5));
    },
    slice: (start: number, end: number) => Promise.resolve(bytes.subarray(start, end)),
  };
  const plan = await planReading(listFile, { isValidUtf8: isUtf8(bytes), column });
  const rows: string[] = [];
  for await (const lines of readList(listFile, plan)) {
    for (const row of lines.flatMap((line) => rowsOfLine(line, plan, { split }))) {
      if (row.kind === 'address') rows.push(row.address.email + (row.repaired === null ? '' : '*'));
      else rows.push(row.kind === 'blank' ? '-' : '!');
    }
  }
  return rows.join(' ');
}

function isUtf8(bytes: Buffer): boolean {
  try {
    new TextDecoder('utf-8', { fatal: true }).decode(bytes);
    return true;
  } catch {
    return false;
  }
}

describe('files as people have them are read', () => {
  for (const [name, { reads, ...messy }] of Object.entries(messyFiles))
    it(name, async () => assert.equal(await reading(messy), reads));
});

describe('files that are no list are refused with what to do', () => {
  for (const [name, { file, kind, says }] of Object.entries(refusedFiles))
    it(name, () =>
      assert.rejects(reading({ file }), (error: unknown) => {
        assert.ok(error instanceof ListProblem, String(error));
        assert.equal(error.kind, kind);
        assert.match(error.message, says);
        return true;
      }),
    );
});
