import assert from 'node:assert/strict';
import { appendFileSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import type { JournalEntry } from './journal-entry.ts';
import { openJournal, readJournal } from './journal.ts';

const folder = mkdtempSync(join(tmpdir(), 'mailproof-journal-'));
after(() => rmSync(folder, { recursive: true }));

const head: JournalEntry = {
  kind: 'head',
  run: 'r',
  digest: 'd',
  column: 1,
  addresses: 250,
  url: 'http://x',
};
const answer = { status: 'safe', score: 98, safeToSend: true, deliverable: null, reason: 'ok' };

async function entriesOf(path: string) {
  const entries: JournalEntry[] = [];
  const bytes = await readJournal(path, (entry) => entries.push(entry));
  return { entries, bytes };
}

test('what was appended is read again, entries that came together included', async () => {
  const path = join(folder, 'whole');
  const entries: JournalEntry[] = [
    head,
    ...[0, 1, 2].map((chunk) => ({ kind: 'task' as const, chunk, id: `t${chunk}` })),
    { kind: 'done', chunk: 1, credits: 1, answers: [answer] },
  ];
  const journal = await openJournal(path, 0);
  await Promise.all(entries.map((entry) => journal.append(entry)));
  await journal.close();
  assert.deepEqual(await entriesOf(path), { entries, bytes: statSync(path).size });
  assert.equal(statSync(path).mode & 0o777, 0o600);
});

test('cut off at any byte, it holds the entries whose lines are whole, and goes on after them', async () => {
  const whole = readFileSync(join(folder, 'whole'));
  const path = join(folder, 'torn');
  for (let length = 0; length < whole.length; length += 7) {
    writeFileSync(path, whole.subarray(0, length));
    const { entries, bytes } = await entriesOf(path);
    assert.equal(entries.length, whole.subarray(0, length).toString().split('\n').length - 1);
    const journal = await openJournal(path, bytes);
    await journal.append(bytes === 0 ? head : { kind: 'task', chunk: 2, id: 'next' });
    await journal.close();
    assert.equal((await entriesOf(path)).entries.length, entries.length + 1);
  }
});

test('no journal is an empty one; what is none of ours is left alone', async () => {
  assert.deepEqual(await entriesOf(join(folder, 'none')), { entries: [], bytes: 0 });
  const path = join(folder, 'other');
  writeFileSync(path, 'dear diary\n');
  await assert.rejects(entriesOf(path), /is not the journal of a check/);
  writeFileSync(path, readFileSync(join(folder, 'whole')));
  appendFileSync(path, '{"kind":"done","chunk":-1,"credits":0,"answers":[]}\n');
  await assert.rejects(entriesOf(path), /is not the journal of a check/);
});
