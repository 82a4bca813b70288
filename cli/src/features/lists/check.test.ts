import assert from 'node:assert/strict';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable, Writable } from 'node:stream';
import { afterEach, beforeEach, describe, test } from 'node:test';
import { createClient } from '@mailproof/client';
import { startStandIn, type StandIn } from '@mailproof/client/stand-in';
import { run } from '../../run.ts';
import { runHere } from '../../../test/support/run-here.ts';
import { startMailproof } from '../../../../service/test/support/mailproof.ts';
import { createTerminal } from '../../terminal.ts';

let folder: string;
let standIn: StandIn;
beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'mailproof-check-'));
  standIn = await startStandIn();
});
afterEach(async () => {
  await standIn.stop();
  rmSync(folder, { recursive: true });
});

const path = (name: string) => join(folder, name);
const environment = () => ({ MAILPROOF_URL: standIn.url, MAILPROOF_API_KEY: standIn.apiKey });

/** Checks a list of this content; `output` is what was written. */
async function check(content: string | Buffer, { name = 'list.csv', args = ['--yes'] } = {}) {
  writeFileSync(path(name), content);
  const ended = await runHere(['check', path(name), '--output', path('out.csv'), ...args], {
    env: environment(),
  });
  const output = existsSync(path('out.csv')) ? readFileSync(path('out.csv')) : Buffer.alloc(0);
  return { ...ended, output: output.toString('latin1') };
}

const people =
  'name,email\nAda,ada@example.com\nBob,invalid@example.com\nADA,ADA@example.com\nEve,\nZoe,nonsense\n';
const listOf = (count: number) =>
  `email\n${Array.from({ length: count }, (_, i) => `ada.${i}@example.com\n`).join('')}`;

describe('the output', () => {
  test('is the list as the service has it, with a summary', async () => {
    const { code, output, stdout, stderr } = await check(people, { args: ['--yes', '--json'] });
    assert.equal(code, 0);
    assert.match(stderr, /5 rows: 2 addresses, 1 duplicate, 1 blank, 1 not an address/);
    assert.match(stderr, /Addresses in column "email" \(2 of 2\)/);
    assert.match(
      output,
      /^name,email,email_status,.*\nAda,ada@example\.com,safe,98,true,true,mailbox_accepted,\n/,
    );
    const { list_id: id, ...told } = JSON.parse(stdout) as Record<string, unknown>;
    assert.equal(id, standIn.lists()[0]?.list_id);
    assert.deepEqual(told, {
      rows: 5,
      addresses: 2,
      duplicates: 1,
      blank: 1,
      rejected: 1,
      repaired: 0,
      statuses: { safe: 1, invalid: 1 },
      credits_used: 2,
      output: path('out.csv'),
    });
    assert.equal(standIn.lists()[0]?.name, 'list.csv');
    assert.deepEqual(readdirSync(folder).sort(), ['list.csv', 'out.csv']);
  });

  test('in words tells the statuses, the counts and the credits', async () => {
    const { stdout } = await check(people);
    assert.match(
      stdout,
      /^1 {2}safe \(50\.0 %\)\n1 {2}invalid \(50\.0 %\)\n5 rows: .*\n2 credits used\. Written to /,
    );
  });

  test('is what its ending says', async () => {
    writeFileSync(path('list.csv'), people);
    const args = ['check', path('list.csv'), '--yes', '--output', path('out.jsonl')];
    assert.equal((await runHere(args, { env: environment() })).code, 0);
    const [first] = readFileSync(path('out.jsonl'), 'utf8').split('\n');
    assert.equal((JSON.parse(first ?? '') as { status: string }).status, 'safe');
  });

  test('of a list from the standard input is the same, and its copy is taken away', async () => {
    const args = ['check', '-', '--output', path('out.csv'), '--yes'];
    assert.equal((await runHere(args, { env: environment(), input: people })).code, 0);
    assert.match(readFileSync(path('out.csv'), 'utf8'), /\nAda,ada@example\.com,safe,/);
    assert.deepEqual(readdirSync(folder), ['out.csv']);
  });

  test('is never half written: a download that breaks off is begun anew, or leaves nothing', async () => {
    await standIn.stop();
    let cuts = 0;
    standIn = await startStandIn({
      faultOf: ({ path: asked }) => (asked.includes('/download') && (cuts += 1) <= 6 ? 'cut_answer' : 'none'),
    });
    const first = await check(people);
    assert.deepEqual([first.code, cuts], [3, 5]);
    assert.match(first.stderr, /cannot be reached .* run the same command again/);
    assert.deepEqual(readdirSync(folder), ['list.csv']);
    const second = await check(people);
    assert.deepEqual([second.code, cuts, standIn.counts.spent], [0, 7, 2]);
    assert.match(second.output, /\nZoe,nonsense,rejected,.*\n$/);
  });

  test('a file without addresses is a wrong input: the service says why, and nothing is kept', async () => {
    const { code, stderr } = await check('name,phone\nAda,1\n');
    assert.equal(code, 2);
    assert.equal(stderr, 'mailproof: We found no email addresses in this file.\n');
    assert.deepEqual([standIn.counts.lists, readdirSync(folder)], [0, ['list.csv']]);
  });

  test('--column names the column by its heading, or counts from 1', async () => {
    const list = 'work,home\nada@example.com,invalid@example.com\n';
    assert.match((await check(list, { args: ['--yes', '--column', 'home'] })).output, /,invalid,/);
    assert.match((await check(list, { args: ['--yes', '--force', '--column', '1'] })).output, /,safe,/);
    const { code, stderr } = await check(list, { args: ['--yes', '--force', '--column', '0'] });
    assert.deepEqual([code, /--column counts from 1/.test(stderr)], [2, true]);
  });
});

describe('spending', () => {
  test('without --yes and without anybody to ask, the cost is told and nothing is spent or left behind', async () => {
    const { code, stderr } = await check('email\nada@example.com\nbob@example.com\n', { args: [] });
    assert.equal(code, 2);
    assert.match(stderr, /2 addresses, 0 duplicates/);
    assert.match(stderr, /Cost: up to 2 credits, for conclusive results only; the account has 1,000,000,000/);
    assert.match(stderr, /To agree in advance, add --yes/);
    assert.deepEqual([standIn.counts.spent, standIn.lists()], [0, []]);
    assert.deepEqual(readdirSync(folder), ['list.csv']);
  });

  test('domains one slip away from a large provider are told before the cost is agreed on', async () => {
    const { stderr } = await check('email\nann@gmial.com\nbo@gmial.com\ncy@example.com\n', { args: [] });
    const [, typo, cost] = stderr.split('\n');
    assert.equal(typo, 'Possible typo: gmial.com (2 rows). Did you mean gmail.com?');
    assert.match(cost ?? '', /^Cost: up to 3 credits/);
    assert.equal(standIn.counts.spent, 0);
  });

  for (const [word, code, spent] of [
    ['y', 0, 1],
    ['YES', 0, 1],
    ['n', 2, 0],
    ['', 2, 0],
  ] as const) {
    test(`a person who says ${JSON.stringify(word)} is taken at their word`, async () => {
      writeFileSync(path('list.csv'), 'email\nada@example.com\n');
      const screen = new Writable({ write: (_chunk, _encoding, done) => done() });
      const input = Object.assign(Readable.from([Buffer.from(`${word}\n`)]), { isTTY: true });
      const terminal = createTerminal({ input, output: screen, side: screen });
      const args = ['check', path('list.csv'), '--output', path('out.csv')];
      const { signal } = new AbortController();
      assert.equal(await run(args, { terminal, env: environment(), signal }), code);
      assert.deepEqual([standIn.counts.spent, standIn.lists().length], [spent, spent]);
    });
  }

  test('too few credits stop it before anything is spent; with more of them it goes on with the same list', async () => {
    await standIn.stop();
    standIn = await startStandIn({ credits: 150 });
    const first = await check(listOf(300));
    assert.equal(first.code, 3);
    assert.match(first.stderr, /not have enough credits for this list\. Nothing was spent\./);
    assert.ok(!existsSync(path('out.csv')));
    standIn.grant(1_000);
    const second = await check(listOf(300), { args: ['--yes', '--json'] });
    const told = JSON.parse(second.stdout) as { credits_used: number };
    assert.deepEqual([second.code, told.credits_used, standIn.counts.spent], [0, 300, 300]);
    assert.equal(standIn.counts.lists, 1);
  });
});

describe('going on', () => {
  test('Ctrl-C ends it with 130, says how to go on, and the next run does, and pays once', async () => {
    await standIn.stop();
    const seen = Promise.withResolvers<undefined>();
    let looks = 0;
    standIn = await startStandIn({
      looksPerTask: 10,
      faultOf: ({ method, path: asked }) => {
        if (method === 'GET' && asked.includes('/lists/')) looks += 1;
        if (looks === 2) seen.resolve(undefined);
        return 'none';
      },
    });
    writeFileSync(path('list.csv'), listOf(500));
    const args = ['check', path('list.csv'), '--output', path('out.csv'), '--yes'];
    const { child, ended } = startMailproof(args, { env: environment() });
    await seen.promise;
    child.kill('SIGINT');
    const { code, stderr } = await ended;
    assert.equal(code, 130);
    assert.match(stderr, /Stopped\. To continue, run the same command again/);
    const again = await runHere(args, { env: environment() });
    assert.equal(again.code, 0);
    assert.match(again.stderr, /Resuming: \d+ of 500 addresses already checked/);
    assert.deepEqual([standIn.counts.lists, standIn.counts.spent, standIn.counts.verified], [1, 500, 500]);
    assert.deepEqual(readdirSync(folder).sort(), ['list.csv', 'out.csv']);
  });

  test('a list that is completed is only downloaded, under another name of the file as well', async () => {
    await check(people);
    const again = await check(people, { name: 'copy.csv', args: ['--force'] });
    assert.equal(again.code, 0);
    assert.match(again.stderr, /was checked before\. Downloading its results/);
    assert.deepEqual([standIn.counts.lists, standIn.counts.spent], [1, 2]);
  });

  test('a file that changed, or another column of it, is a new list', async () => {
    const list = 'work,home\nada@example.com,bob@example.com\n';
    for (const [content, column] of [
      [list, '1'],
      [list, '2'],
      [`${list}eve@example.com,zoe@example.com\n`, '1'],
      [list, '2'],
    ] as const)
      assert.equal((await check(content, { args: ['--yes', '--force', '--column', column] })).code, 0);
    assert.deepEqual([standIn.counts.lists, standIn.counts.spent], [3, 4]);
  });

  test('a list that was deleted or cancelled is begun anew', async () => {
    await check(people);
    const client = createClient({ baseUrl: standIn.url, apiKey: standIn.apiKey });
    await client.lists.remove(standIn.lists()[0]?.list_id ?? '');
    assert.equal((await check(people, { args: ['--yes', '--force'] })).code, 0);
    assert.deepEqual([standIn.counts.lists, standIn.lists().length], [2, 1]);
    const [second] = standIn.lists();
    if (second !== undefined) second.state = 'cancelled';
    assert.equal((await check(people, { args: ['--yes', '--force'] })).code, 0);
    assert.equal(standIn.counts.lists, 3);
  });

  test('a list that is cancelled while it is followed ends it with 3 and says where its answers are', async () => {
    await standIn.stop();
    let looks = 0;
    standIn = await startStandIn({
      looksPerTask: 1_000,
      faultOf: ({ method, path: asked }) => {
        if (method === 'GET' && asked.includes('/lists/')) looks += 1;
        const [list] = standIn.lists();
        if (looks === 2 && list !== undefined) list.state = 'cancelled';
        return 'none';
      },
    });
    const { code, stderr } = await check(people);
    assert.equal(code, 3);
    assert.match(stderr, /The list was cancelled\. .* run mailproof lists download [\da-f-]+ --output FILE/);
  });
});

describe('mistakes', () => {
  const cases: [string, string[], Record<string, string>, number, RegExp][] = [
    ['no output', [], {}, 2, /Missing --output FILE/],
    ['no key', ['--output', 'x'], { MAILPROOF_API_KEY: '' }, 3, /Set MAILPROOF_API_KEY, or .*--key-file/],
    [
      'a key with a line break',
      ['--output', 'x'],
      { MAILPROOF_API_KEY: 'mp\nx' },
      3,
      /does not contain a valid API key/,
    ],
    [
      'a wrong address of the service',
      ['--output', 'x', '--url', 'nowhere'],
      {},
      2,
      /nowhere is not the URL of a service/,
    ],
  ];
  for (const [name, args, env, code, line] of cases) {
    test(`${name} is told in one line`, async () => {
      writeFileSync(path('list.csv'), 'email\nada@example.com\n');
      const ended = await runHere(['check', path('list.csv'), ...args], {
        env: { ...environment(), ...env },
      });
      assert.equal(ended.code, code);
      assert.match(ended.stderr, line);
      assert.equal(ended.stderr.trimEnd().split('\n').length, 1);
    });
  }

  test('a list that is not there, or is the output itself', async () => {
    const missing = await runHere(['check', path('no.csv'), '--output', path('o')], { env: environment() });
    assert.deepEqual([missing.code, /no such file/.test(missing.stderr)], [2, true]);
    writeFileSync(path('out.csv'), 'email\nada@example.com\n');
    const args = ['check', path('out.csv'), '--output', path('out.csv'), '--force', '--yes'];
    const same = await runHere(args, { env: environment() });
    assert.deepEqual([same.code, /would overwrite the list/.test(same.stderr)], [2, true]);
    const there = await check('email\nada@example.com\n');
    assert.deepEqual([there.code, /To overwrite it, add --force/.test(there.stderr)], [2, true]);
    assert.equal(there.output, 'email\nada@example.com\n');
  });

  test('a key that the service does not know, from a file, ends with 3 and never shows the key', async () => {
    writeFileSync(path('key'), 'mp_live_wrong\n');
    const { code, stderr } = await check('email\nada@example.com\n', {
      args: ['--yes', '--key-file', path('key')],
    });
    assert.equal(code, 3);
    assert.match(stderr, /does not know this API key/);
    assert.ok(!stderr.includes('mp_live_wrong'));
  });
});

test('on a terminal a bar shows how far it is', async () => {
  const text: string[] = [];
  const side = Object.assign(
    new Writable({
      write(chunk: Buffer, _encoding, done) {
        text.push(chunk.toString());
        done();
      },
    }),
    { isTTY: true },
  );
  writeFileSync(path('list.csv'), `email\n${'x'.repeat(3)}@example.com\nb@example.com\n`);
  const terminal = createTerminal({
    input: Readable.from([]),
    output: new Writable({ write: (_c, _e, done) => done() }),
    side,
  });
  const args = ['check', path('list.csv'), '--output', path('out.csv'), '--yes'];
  assert.equal(await run(args, { terminal, env: environment(), signal: new AbortController().signal }), 0);
  assert.match(text.join(''), /\[#{20}\] 100 % {2}2 of 2 addresses, [\d.]+ per second, 0 s left/);
});

test('a service that cannot be reached is tried again until it is told to stop', async () => {
  writeFileSync(path('list.csv'), 'email\nada@example.com\n');
  const second = Promise.withResolvers<undefined>();
  let connections = 0;
  const hangsUp = createServer((socket) => {
    socket.destroy();
    connections += 1;
    if (connections === 2) second.resolve(undefined);
  });
  await new Promise<void>((resolve) => hangsUp.listen(0, '127.0.0.1', resolve));
  const url = `http://127.0.0.1:${(hangsUp.address() as AddressInfo).port}`;
  const args = ['check', path('list.csv'), '--output', path('out.csv'), '--yes', '--url', url];
  const { child, ended } = startMailproof(args, { env: environment() });
  await second.promise;
  child.kill('SIGTERM');
  assert.equal((await ended).code, 143);
  hangsUp.close();
});
