import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';

const folder = mkdtempSync(join(tmpdir(), 'mailproof-accuracy-'));
after(() => rmSync(folder, { recursive: true }));

const replies = file('replies.jsonl', [
  { id: '1', code: 250, enhanced: null, text: 'OK', provider: null, label: 'accepted', alt_labels: [] },
  {
    id: '2',
    code: 550,
    enhanced: '5.1.1',
    text: 'User unknown',
    provider: null,
    label: 'mailbox_not_exist',
    alt_labels: ['other'],
  },
]);
const addresses = file('syntax.jsonl', [
  { email: 'ada@example.com', expected_valid_for_mailing: true },
  { email: 'nonsense', expected_valid_for_mailing: false },
  { email: 'a@b', expected_valid_for_mailing: null },
]);

test('prints both tables and ends with 0 where every goal is met', () => {
  const { status, stdout } = accuracy(replies, addresses);
  assert.equal(status, 0);
  assert.match(stdout, /lenient accuracy +1\.000 {2}goal ≥ 0\.98\n/);
  assert.match(stdout, /false-invalid +0\.000 {2}goal ≤ 0\n/);
  assert.match(stdout, /mailbox_not_exist +1 /);
  assert.match(stdout, /valid accepted \(1 of 1\) +1\.000/);
  assert.match(stdout, /invalid refused \(1 of 1\) +1\.000/);
});

test('names what was missed and ends with 1 where a goal is not met', () => {
  const wrong = file('wrong.jsonl', [{ email: 'ada@example.com', expected_valid_for_mailing: false }]);
  const { status, stdout } = accuracy(replies, wrong);
  assert.equal(status, 1);
  assert.match(stdout, /MISSED/);
  assert.match(stdout, /missed: "ada@example\.com" is invalid, answered valid/);
});

test('every file of replies has to meet the goals', () => {
  const condemned = file('condemned.jsonl', [
    { id: '1', code: 550, enhanced: null, text: 'User unknown', label: 'other', alt_labels: [] },
  ]);
  const { status, stdout } = accuracy(replies, condemned, addresses);
  assert.equal(status, 1);
  assert.match(stdout, /false-invalid +0\.000 {2}goal ≤ 0\n/);
  assert.match(stdout, /false-invalid +1\.000 {2}goal ≤ 0 {2}MISSED\n/);
});

test('says so and ends with 2 where the data is missing or is something else', () => {
  const missing = accuracy(join(folder, 'nowhere.jsonl'), replies);
  assert.equal(missing.status, 2);
  assert.match(missing.stderr, /nowhere\.jsonl: there is no such file\n/);
  assert.match(missing.stderr, /replies\.jsonl: line 1 is not a labelled row\n/);
  assert.match(missing.stderr, /usage: npm run accuracy -- REPLIES\.jsonl… SYNTAX\.jsonl/);
});

function accuracy(...paths: string[]) {
  return spawnSync(process.execPath, [join(import.meta.dirname, 'accuracy.ts'), ...paths], {
    encoding: 'utf8',
  });
}

function file(name: string, rows: readonly object[]): string {
  const path = join(folder, name);
  writeFileSync(path, rows.map((row) => `${JSON.stringify(row)}\n`).join(''));
  return path;
}
