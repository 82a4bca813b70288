import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, test } from 'node:test';
import { findLayout } from './find-layout.ts';

const folder = mkdtempSync(join(tmpdir(), 'mailproof-layout-'));
after(() => rmSync(folder, { recursive: true }));

async function layoutOf(text: string | Buffer, name = 'list.csv', column?: string) {
  const path = join(folder, 'sample');
  writeFileSync(path, text);
  const { delimiter, hasHeader, column: found, bom } = await findLayout(path, { name, column });
  return { delimiter, hasHeader, column: found, bom: bom.length };
}

describe('the way a list is written is found by itself', () => {
  const cases: [string, string, string, [string | undefined, boolean, number]][] = [
    ['CSV with a heading', 'list.csv', 'name,email\nAda,ada@example.com\n', [',', true, 1]],
    ['semicolons', 'list.csv', 'name;email;note\nAda;ada@example.com;a,b\n', [';', true, 1]],
    ['TSV by its content', '-', 'name\temail\nA, B\tada@example.com\n', ['\t', true, 1]],
    ['TSV by its name', 'list.tsv', 'ada@example.com\n', ['\t', false, 0]],
    ['no heading', 'list.csv', 'Ada,ada@example.com\n', [',', false, 1]],
    ['one address a line', '-', 'ada@example.com\nbob@example.com\n', [undefined, false, 0]],
    ['one a line under a heading', 'list.txt', 'Email\nada@example.com\n', [undefined, true, 0]],
    [
      'one a line, the first a mistake',
      'list.txt',
      'adaexample.com\nada@example.com\n',
      [undefined, false, 0],
    ],
    [
      'quoted local parts, one a line',
      'list.txt',
      '"a,b"@example.com\nada@example.com\n',
      [undefined, false, 0],
    ],
    ['a CSV of one column', 'list.csv', '"email"\n"ada@example.com"\n', [',', true, 0]],
    [
      'by content where no heading speaks of mail',
      'list.csv',
      'who,where\nAda,ada@example.com\n',
      [',', true, 1],
    ],
    [
      'by heading among several',
      'l.csv',
      'Manager email,E-Mail\nb@example.com,a@example.com\n',
      [',', true, 1],
    ],
    [
      'by content where the heading misleads',
      'l.csv',
      'email,contact\nyes,a@example.com\nno,b@example.com\n',
      [',', true, 1],
    ],
    ['by heading where all cells are empty', 'list.csv', 'name,email\nAda,\n', [',', true, 1]],
  ];
  for (const [name, file, text, [delimiter, hasHeader, column]] of cases)
    test(name, async () =>
      assert.deepEqual(await layoutOf(text, file), { delimiter, hasHeader, column, bom: 0 }),
    );

  test('a byte order mark is set aside', async () => {
    const layout = await layoutOf('\ufeff"email",x\nada@example.com,1\n');
    assert.deepEqual(layout, { delimiter: ',', hasHeader: true, column: 0, bom: 3 });
  });
});

describe('a column can be named', () => {
  const text = 'Ünï,Work Email,2\nx,a@example.com,b@example.com\n';
  for (const [wish, column] of [
    ['work email', 1],
    [' ünï', 0],
    ['3', 2],
    ['2', 2],
    ['1', 0],
  ] as const)
    test(wish, async () => assert.equal((await layoutOf(text, 'l.csv', wish)).column, column));

  test('one that is not there is told with those that are', async () => {
    await assert.rejects(
      layoutOf(text, 'l.csv', 'mail'),
      /No column "mail"\. Columns: "Ünï", "Work Email", "2"/,
    );
    await assert.rejects(layoutOf(text, 'l.csv', '4'), /No column "4"/);
    await assert.rejects(
      layoutOf('a,b\nc,d\n'),
      /No column looks like email addresses\. Name one with --column/,
    );
  });
});

test('UTF-16 is told, not guessed at', async () => {
  for (const text of ['\ufeffemail\nada@example.com\n', 'email\nada@example.com\n'])
    await assert.rejects(layoutOf(Buffer.from(text, 'utf16le')), /Save it as CSV UTF-8/);
});
