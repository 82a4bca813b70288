import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { ListAnswer } from './list-answer.ts';
import { openList } from './open-list.ts';
import { checkedName, writeCheckedList } from './write-checked-list.ts';

const atOnce = () => Promise.resolve();

function answer(status: string, reason: string): ListAnswer {
  return {
    status,
    score: 98,
    safeToSend: true,
    deliverable: true,
    reason,
    mailHost: null,
    provider: '',
    reply: null,
  };
}

async function checked(
  bytes: Uint8Array<ArrayBuffer>,
  answers: ListAnswer[],
  status?: string,
): Promise<Buffer> {
  const opened = await openList({ name: 'people.csv', bytes }, undefined, atOnce);
  assert.equal(opened.kind, 'opened');
  const { layout, survey } = opened.list;
  const answerOf = (number: number) => answers[number];
  return Buffer.concat(await writeCheckedList({ bytes, layout, survey, answerOf, status }, atOnce));
}

describe('a checked list', () => {
  const text =
    '\ufeff"Name";Mail;\r\n"A ""x""";ada@example.com;1\r\n\r\n=1+1;bob@example.com\nC;;\rD;ADA@example.com;"l\nm"';
  const answers = [answer('safe', 'mailbox_accepted'), answer('invalid', '=HYPERLINK("x")')];

  test('is the list byte for byte, with our cells before each line end and formulas of ours defused', async () => {
    assert.equal(
      (await checked(new TextEncoder().encode(text), answers)).toString('utf8'),
      '\ufeff"Name";Mail;;email_status;email_score;email_safe_to_send;email_deliverable;email_reason\r\n' +
        '"A ""x""";ada@example.com;1;safe;98;true;true;mailbox_accepted\r\n' +
        '\r\n' +
        '=1+1;bob@example.com;;invalid;98;true;true;"\'=HYPERLINK(""x"")"\n' +
        'C;;;;;;;blank\r' +
        'D;ADA@example.com;"l\nm";safe;98;true;true;mailbox_accepted',
    );
  });

  test('of one status holds its rows and the heading', async () => {
    const lines = (await checked(new TextEncoder().encode(text), answers, 'invalid'))
      .toString('utf8')
      .split('\n');
    assert.equal(lines.length, 3);
    assert.match(lines[1] ?? '', /^=1\+1;bob/);
  });

  test('gives back bytes that are no UTF-8 as they were', async () => {
    const bytes = Uint8Array.from(Buffer.from('name,email\nJ\u00fcrgen,ada@example.com\n', 'latin1'));
    const written = await checked(bytes, answers);
    assert.ok(written.includes(Buffer.from('\nJ\u00fcrgen,ada@example.com,safe', 'latin1')));
  });

  test('says of a row without an answer that it was not checked', async () => {
    assert.match(
      (await checked(new TextEncoder().encode(text), [])).toString('utf8'),
      /;1;;;;;not_checked\r\n/,
    );
  });
});

test('the file is named after the list, and after what was asked for', async () => {
  const opened = await openList(
    { name: 'people.tsv', bytes: new TextEncoder().encode('ada@example.com\n') },
    undefined,
    atOnce,
  );
  assert.equal(opened.kind, 'opened');
  const { layout } = opened.list;
  assert.equal(checkedName('people.tsv', layout, undefined), 'people.checked.tsv');
  assert.equal(checkedName('pasted', { ...layout, delimiter: undefined }, 'safe'), 'pasted.safe.csv');
  assert.equal(checkedName('.csv', { ...layout, delimiter: ',' }, undefined), '.csv.checked.csv');
});
