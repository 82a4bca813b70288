import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { ListProblem } from './list-problem.ts';
import { createRecordReader, type TextRecord } from './read-records.ts';

function read(
  text: string,
  delimiter: string | undefined = ',',
  pieceBytes = text.length || 1,
): TextRecord[] {
  const reader = createRecordReader({ delimiter });
  const rows: TextRecord[] = [];
  for (let at = 0; at < text.length; at += pieceBytes)
    rows.push(...reader.push(text.slice(at, at + pieceBytes)));
  return [...rows, ...reader.end()];
}

const cellsOf = (text: string, delimiter?: string) => read(text, delimiter).map(({ cells }) => cells);

describe('rows', () => {
  const cases: [string, string, string[][]][] = [
    [
      'plain',
      'a,b\nc,d\n',
      [
        ['a', 'b'],
        ['c', 'd'],
      ],
    ],
    [
      'no line end at the end',
      'a,b\nc,d',
      [
        ['a', 'b'],
        ['c', 'd'],
      ],
    ],
    ['CRLF, LF and CR', 'a\r\nb\nc\rd', [['a'], ['b'], ['c'], ['d']]],
    [
      'empty cells',
      ',\n,,\n',
      [
        ['', ''],
        ['', '', ''],
      ],
    ],
    ['blank lines', '\n\na\n\n', [[''], [''], ['a'], ['']]],
    ['quotes around a delimiter', '"a,b",c\n', [['a,b', 'c']]],
    ['doubled quotes', '"a ""b"" c","""",""\n', [['a "b" c', '"', '']]],
    ['line ends inside quotes', '"a\r\nb\nc\rd",e\n', [['a\r\nb\nc\rd', 'e']]],
    ['a quote in the middle of a cell stands for itself', '12" pipe,a"b"\n', [['12" pipe', 'a"b"']]],
    ['what follows a closing quote is taken as it stands', '"a"b,"c" \n', [['ab', 'c ']]],
    ['white space is part of a cell', ' a , "b"\n', [[' a ', ' "b"']]],
    ['the last cell quoted, no line end', 'a,"b"', [['a', 'b']]],
    ['a delimiter at the end of the file', 'a,', [['a', '']]],
  ];
  for (const [name, text, cells] of cases) test(name, () => assert.deepEqual(cellsOf(text), cells));

  test('other delimiters, and none', () => {
    assert.deepEqual(cellsOf('a;"b;c"\n', ';'), [['a', 'b;c']]);
    assert.deepEqual(cellsOf('a\tb,c\n', '\t'), [['a', 'b,c']]);
    const line = createRecordReader({ delimiter: undefined }).push('"a,b"@x\r\n');
    assert.deepEqual(line, [{ text: '"a,b"@x', end: '\r\n', cells: ['"a,b"@x'] }]);
  });
});

test('the rows put together are the file, however it comes in pieces, and so are the cells', () => {
  const piece = fc.constantFrom('"', '""', ',', '\n', '\r', '\r\n', 'a', ' ', '\u00e4', '\u00ff', '"x,\n"');
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 40 }), fc.integer({ min: 1, max: 7 }), (pieces, size) => {
      const text = pieces.join('');
      let rows: TextRecord[];
      try {
        rows = read(text);
      } catch (error) {
        assert.ok(error instanceof ListProblem);
        assert.throws(() => read(text, ',', size), ListProblem);
        return;
      }
      assert.equal(rows.map((row) => row.text + row.end).join(''), text);
      assert.deepEqual(read(text, ',', size), rows);
    }),
    { numRuns: 5_000 },
  );
});

test('cells written as RFC 4180 has it are read as they were', () => {
  const cell = fc.string({ unit: fc.constantFrom('"', ',', '\n', '\r', 'a', ' ', '\u00e9'), maxLength: 8 });
  const table = fc.array(fc.array(cell, { minLength: 1, maxLength: 4 }), { minLength: 1, maxLength: 5 });
  fc.assert(
    fc.property(table, (rows) => {
      const text = rows
        .map((cells) => `${cells.map((c) => `"${c.replaceAll('"', '""')}"`).join(',')}\r\n`)
        .join('');
      assert.deepEqual(cellsOf(text), rows);
    }),
    { numRuns: 2_000 },
  );
});

test('a quote that is never closed is told with its row, and does not fill the memory', () => {
  assert.throws(() => read('a,b\n"c,d\ne,f\n'), {
    message: 'Row 2 has an opening quote that is never closed.',
  });
  const reader = createRecordReader({ delimiter: ',' });
  reader.push('a\nb\n"');
  const endless = () => {
    for (let i = 0; i < 20; i += 1) reader.push('x\n'.repeat(32_768));
  };
  assert.throws(endless, { message: 'Row 3 is longer than 1 MB. A closing quote may be missing.' });
});
