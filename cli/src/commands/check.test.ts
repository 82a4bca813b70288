import assert from 'node:assert/strict';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable, Writable } from 'node:stream';
import { afterEach, beforeEach, describe, test } from 'node:test';
import { startStandIn, type StandIn } from '@mailproof/client/stand-in';
import { run } from '../run.ts';
import { runHere } from '../../test/support/run-here.ts';
import { startMailproof } from '../../../service/test/support/mailproof.ts';
import { createTerminal } from '../terminal.ts';

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

const added = 'email_status,email_score,email_safe_to_send,email_deliverable,email_reason';

describe('the output', () => {
  test('is the list, byte for byte, with our cells before each line end', async () => {
    const list = Buffer.concat([
      Buffer.from('\ufeff"Name ""x""", E-Mail ,Note\r\n'),
      Buffer.from('"Doe, J",ada@example.com,=1+1\n'),
      Buffer.from([0x4d, 0xfc, 0x6c, 0x6c, 0x65, 0x72]),
      Buffer.from(',"  invalid@example.com ","two\r\nlines"\r\n\r\n'),
      Buffer.from('short\nlong,catchall@example.com,a,b\nlast,unknown@example.com,'),
    ]);
    const { code, output } = await check(list);
    assert.equal(code, 0);
    const expected = Buffer.concat([
      Buffer.from(`\ufeff"Name ""x""", E-Mail ,Note,,${added}\r\n`),
      Buffer.from('"Doe, J",ada@example.com,=1+1,,safe,98,true,true,mailbox_accepted\n'),
      Buffer.from([0x4d, 0xfc, 0x6c, 0x6c, 0x65, 0x72]),
      Buffer.from(',"  invalid@example.com ","two\r\nlines",,invalid,0,false,false,user_unknown\r\n\r\n'),
      Buffer.from(
        'short,,,,,,,,blank\nlong,catchall@example.com,a,b,catch_all,60,false,true,accepts_every_address\n',
      ),
      Buffer.from('last,unknown@example.com,,,unknown,,,,greylisted'),
    ]);
    assert.equal(output, expected.toString('latin1'));
  });

  test('tells what is no address, and gives duplicates the answer of their address', async () => {
    const { output, stdout } = await check(
      'email;n\nada@example.com;1\nADA@Example.COM;2\nnonsense;3\n;4\na@b@example.com;5\n',
      { args: ['--yes', '--json'] },
    );
    assert.deepEqual(
      output
        .split('\n')
        .slice(1, -1)
        .map((row) => row.split(';').slice(1).join(';')),
      [
        '1;safe;98;true;true;mailbox_accepted',
        '2;safe;98;true;true;mailbox_accepted',
        '3;rejected;;;;no_at_sign',
        '4;;;;;blank',
        '5;rejected;;;;domain_invalid',
      ],
    );
    assert.deepEqual(JSON.parse(stdout), {
      rows: 5,
      addresses: 1,
      duplicates: 1,
      blank: 1,
      rejected: 2,
      statuses: { safe: 1 },
      credits_used: 1,
      output: path('out.csv'),
    });
    assert.deepEqual([standIn.counts.verified, standIn.counts.spent], [1, 1]);
  });

  test('defuses formulas in our cells and leaves those of the user alone', async () => {
    const { output } = await check('email,x\nformula@example.com,=2+3\n');
    assert.match(output, /\nformula@example.com,=2\+3,safe,98,true,true,"'=HYPERLINK\(""x""\)"\n$/);
  });

  test('a plain list from the standard input becomes a CSV, and its copy is taken away', async () => {
    const args = ['check', '-', '--output', path('out.csv'), '--yes'];
    const input = 'ada@example.com\r\n"a,b"@example.com\r\n\r\n';
    assert.equal((await runHere(args, { env: environment(), input })).code, 0);
    assert.equal(
      readFileSync(path('out.csv'), 'utf8'),
      'ada@example.com,safe,98,true,true,mailbox_accepted\r\n"""a,b""@example.com",safe,98,true,true,mailbox_accepted\r\n\r\n',
    );
    assert.deepEqual(readdirSync(folder), ['out.csv']);
  });

  test('a list without a single address costs nothing and asks nobody', async () => {
    const { code, output } = await check('email,x\n,1\nnonsense,2\n', { args: [] });
    assert.equal(code, 0);
    assert.equal(output, `email,x,${added}\n,1,,,,,blank\nnonsense,2,rejected,,,,no_at_sign\n`);
    assert.equal(standIn.counts.requests, 0);
    assert.equal((await check('', { name: 'empty.txt', args: ['--force'] })).code, 0);
  });
});

describe('spending', () => {
  test('without --yes and without anybody to ask, the cost is told and nothing is sent or left behind', async () => {
    const { code, stderr } = await check('email\nada@example.com\nbob@example.com\n', { args: [] });
    assert.equal(code, 2);
    assert.match(stderr, /2 addresses, 0 duplicates/);
    assert.match(stderr, /Cost: up to 2 credits/);
    assert.match(stderr, /To agree in advance, add --yes/);
    assert.equal(standIn.counts.requests, 0);
    assert.deepEqual(readdirSync(folder), ['list.csv']);
  });

  for (const [word, code, requests] of [
    ['y', 0, 2],
    ['YES', 0, 2],
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
      assert.equal(standIn.counts.requests, requests);
    });
  }

  test('credits that run out stop it; with more of them it goes on and pays for the rest alone', async () => {
    await standIn.stop();
    standIn = await startStandIn({ credits: 150 });
    const list = `email\n${Array.from({ length: 300 }, (_, i) => `ada.${i}@example.com\n`).join('')}`;
    const first = await check(list, { args: ['--yes', '--concurrency', '1'] });
    assert.equal(first.code, 3);
    assert.match(first.stderr, /does not have enough credits .* To resume, run the same command again/);
    assert.ok(!existsSync(path('out.csv')));
    standIn.grant(1_000);
    const second = await check(list, { args: ['--yes', '--json'] });
    assert.match(second.stderr, /Resuming: 100 addresses already checked\nCost: up to 200 credits/);
    const told = JSON.parse(second.stdout) as { credits_used: number };
    assert.deepEqual([second.code, told.credits_used, standIn.counts.spent], [0, 300, 300]);
  });
});

describe('going on', () => {
  const list = `email\n${Array.from({ length: 500 }, (_, i) => `ada.${i}@example.com\n`).join('')}`;

  test('Ctrl-C ends it with 130, says how to go on, and the next run does', async () => {
    await standIn.stop();
    let requests = 0;
    const seen = Promise.withResolvers<undefined>();
    standIn = await startStandIn({
      looksPerTask: 3,
      faultOf: () => {
        requests += 1;
        if (requests === 9) seen.resolve(undefined);
        return 'none';
      },
    });
    writeFileSync(path('list.csv'), list);
    const args = ['check', path('list.csv'), '--output', path('out.csv'), '--yes', '--concurrency', '1'];
    const { child, ended } = startMailproof(args, { env: environment() });
    await seen.promise;
    child.kill('SIGINT');
    const { code, stderr } = await ended;
    assert.equal(code, 130);
    assert.match(stderr, /Stopped\. Results so far are kept\. To resume, run the same command again\./);
    assert.equal(statSync(path('out.csv.mailproof-journal')).mode & 0o777, 0o600);
    assert.equal((await runHere(args, { env: environment() })).code, 0);
    assert.deepEqual([standIn.counts.tasks, standIn.counts.spent], [5, 500]);
    assert.deepEqual(readdirSync(folder).sort(), ['list.csv', 'out.csv']);
  });

  test('a journal of another list, column or service is not touched', async () => {
    await standIn.stop();
    standIn = await startStandIn({ credits: 100 });
    assert.equal((await check(list, { args: ['--yes', '--concurrency', '1'] })).code, 3);
    const journal = readFileSync(path('out.csv.mailproof-journal'));
    const other = await check(`${list}bob@example.com\n`);
    assert.equal(other.code, 2);
    assert.match(other.stderr, /The file changed .* will not resume\. .* remove .*mailproof-journal/);
    const elsewhere = await check(list, { args: ['--yes', '--url', 'http://127.0.0.1:1'] });
    assert.equal(elsewhere.code, 2);
    assert.match(elsewhere.stderr, /was started at http/);
    assert.deepEqual(readFileSync(path('out.csv.mailproof-journal')), journal);
  });

  test('a task that is gone is not bought again unasked', async () => {
    await standIn.stop();
    standIn = await startStandIn({ looksPerTask: 1_000_000 });
    writeFileSync(path('list.csv'), list);
    const args = ['check', path('list.csv'), '--output', path('out.csv'), '--yes'];
    const { child, ended } = startMailproof(args, { env: environment() });
    while (standIn.counts.requests < 30) await new Promise((resolve) => setImmediate(resolve));
    child.kill('SIGKILL');
    await ended;
    const tasks = standIn.counts.tasks;
    standIn.forgetTasks();
    const { code, stderr } = await runHere(args, { env: environment() });
    assert.equal(code, 3);
    assert.match(stderr, /A task of this run no longer exists.* To start over and pay again/);
    assert.equal(standIn.counts.tasks, tasks);
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
    ['a concurrency of 0', ['--output', 'x', '--concurrency', '0'], {}, 2, /from 1 to 50/],
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
  const args = ['check', path('list.csv'), '--output', path('out.csv'), '--yes'];
  await standIn.stop();
  const { child, ended } = startMailproof(args, { env: environment() });
  await once(child.stderr, 'data');
  child.kill('SIGTERM');
  assert.equal((await ended).code, 143);
  standIn = await startStandIn();
});
