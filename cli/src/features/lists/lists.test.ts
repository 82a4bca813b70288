import assert from 'node:assert/strict';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, test } from 'node:test';
import { createClient, type ListRecord } from '@mailproof/client';
import { startStandIn, type StandIn } from '@mailproof/client/stand-in';
import { runHere } from '../../../test/support/run-here.ts';

let folder: string;
let standIn: StandIn;
beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'mailproof-lists-'));
  standIn = await startStandIn({ looksPerTask: 4, credits: 10 });
});
afterEach(async () => {
  await standIn.stop();
  rmSync(folder, { recursive: true });
});

function lists(...args: string[]) {
  const env = { MAILPROOF_URL: standIn.url, MAILPROOF_API_KEY: standIn.apiKey };
  return runHere(['lists', ...args], { env });
}

async function upload(name = 'people.csv'): Promise<string> {
  const client = createClient({ baseUrl: standIn.url, apiKey: standIn.apiKey });
  const file = 'name,email\nAda,ada@example.com\nBob,invalid@example.com\n';
  return (await client.lists.create(file, { name })).list_id;
}

describe('lists', () => {
  test('alone tells all lists, the newest first, a line each', async () => {
    assert.match((await lists()).stderr, /No lists yet/);
    const [older, newer] = [await upload(), await upload('\u001b[2Jnews.csv')];
    const { code, stdout } = await lists();
    assert.equal(code, 0);
    const [first, second] = stdout.split('\n');
    assert.ok(first?.startsWith(`${newer}  surveyed`) && first.endsWith('\\u{1b}[2Jnews.csv'), first);
    assert.ok(second?.startsWith(older), second);
    const rows = (await lists('--json')).stdout.trimEnd().split('\n');
    assert.deepEqual(
      rows.map((row) => (JSON.parse(row) as ListRecord).list_id),
      [newer, older],
    );
    assert.deepEqual(await lists('list'), { code, stdout, stderr: '' });
  });

  test('show, start, pause, resume and cancel answer with the list', async () => {
    const id = await upload();
    assert.match(
      (await lists('show', id)).stdout,
      /^people\.csv {2}surveyed\n(?:.*\n)*? {2}costs +up to 2 credits\n/,
    );
    assert.match((await lists('start', id)).stdout, /^people\.csv {2}running\n/);
    const states = [];
    for (const action of ['pause', 'resume', 'cancel', 'show'])
      states.push((JSON.parse((await lists(action, id, '--json')).stdout) as ListRecord).state);
    assert.deepEqual(states, ['paused', 'running', 'cancelled', 'cancelled']);
  });

  test('start --first checks only so many', async () => {
    const id = await upload();
    const { stdout } = await lists('start', id, '--first', '1', '--json');
    assert.equal((JSON.parse(stdout) as ListRecord).wanted, 1);
    const { code, stderr } = await lists('start', id, '--first', 'two');
    assert.deepEqual([code, stderr], [2, 'mailproof: --first must be a whole number from 1 on\n']);
  });

  test('download writes the rows that were asked for, and overwrites nothing unasked', async () => {
    const id = await upload();
    await lists('start', id);
    for (let look = 0; look < 4; look += 1) await lists('show', id);
    const output = join(folder, 'good.csv');
    const args = ['download', id, '--output', output, '--rows', 'sendable'];
    assert.equal((await lists(...args)).stdout, `Written to ${output}\n`);
    const rows = readFileSync(output, 'utf8').trimEnd().split('\n');
    assert.deepEqual([rows.length, rows[1]?.startsWith('Ada,ada@example.com,safe,')], [2, true]);
    writeFileSync(output, 'mine');
    const again = await lists(...args);
    assert.deepEqual([again.code, /already exists/.test(again.stderr)], [2, true]);
    assert.equal(readFileSync(output, 'utf8'), 'mine');
    const forced = await lists(...args, '--force', '--json');
    assert.deepEqual(JSON.parse(forced.stdout), { list_id: id, rows: 'sendable', output });
    assert.match((await lists('download', id)).stderr, /Missing --output FILE/);
  });

  test('delete takes a list away', async () => {
    const id = await upload();
    assert.equal((await lists('delete', id)).stdout, `Deleted ${id}\n`);
    assert.deepEqual(standIn.lists(), []);
  });

  test('a list that is not there, or too dear, is told in one line with the exit code of its kind', async () => {
    const missing = await lists('download', 'nowhere', '--output', join(folder, 'x.csv'));
    assert.equal(missing.code, 2);
    assert.match(missing.stderr, /^mailproof: There is no such list.* run mailproof lists\.\n$/);
    assert.ok(!existsSync(join(folder, 'x.csv')) && !existsSync(join(folder, 'x.csv.mailproof-unfinished')));
    const id = await upload();
    assert.deepEqual([(await lists('pause', id)).code], [2]);
    standIn.grant(-9);
    const dear = await lists('start', id);
    assert.deepEqual([dear.code, /not have enough credits/.test(dear.stderr)], [3, true]);
  });
});
