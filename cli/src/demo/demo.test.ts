import assert from 'node:assert/strict';
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { dirname } from 'node:path';
import { text } from 'node:stream/consumers';
import { after, before, describe, test } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { createAdminClient, createClient, type VerificationStatus } from '@mailproof/client';
import { buildConsole } from '../../../console/build.ts';
import { addressOf, companies, sampleRows } from './companies.ts';
import { openSockets, type OpenSocket } from '../../test/support/open-sockets.ts';

const main = fileURLToPath(new URL('../main.ts', import.meta.url));

/** As keys, so that none of the contract's may be missing. */
const statuses = Object.keys({
  safe: 0,
  invalid: 0,
  disabled: 0,
  disposable: 0,
  inbox_full: 0,
  catch_all: 0,
  role_account: 0,
  spamtrap: 0,
  unknown: 0,
} satisfies Record<VerificationStatus, 0>);

type Printed = { url: string; live_key: string; test_key: string; admin_token: string; sample_list: string };

function start(...args: string[]) {
  // Settings in the environment must not lead the demonstration out of the machine.
  const env = { ...process.env, MAILPROOF_DNS_SERVERS: '192.0.2.1', MAILPROOF_PORT: '1' };
  return spawn(process.execPath, [main, 'demo', ...args], { env, stdio: ['ignore', 'pipe', 'pipe'] });
}

/** Everything it says up to and with the given words; that it ends without them is the test's end too. */
async function printed(child: ReturnType<typeof start>, words: string): Promise<string> {
  let output = '';
  for await (const chunk of child.stdout.iterator({ destroyOnReturn: false })) {
    output += String(chunk);
    if (output.includes(words)) return output;
  }
  throw new Error(`it ended after saying: ${output}`);
}

/** Loopback, or not told yet: a listening socket has no other side. */
const inside = /^(?:127\.\d+\.\d+\.\d+|0\.0\.0\.0|0{32}|0{31}1|0{20}ffff7f.{6})$/;
const nowhere = new Set(['0.0.0.0', '0'.repeat(32)]);

function strayed({ local, remote }: OpenSocket): boolean {
  return !inside.test(remote) || (!inside.test(local) && !nowhere.has(remote));
}

async function ended(child: ChildProcess): Promise<unknown> {
  if (child.exitCode === null) await once(child, 'exit');
  return [child.exitCode, child.signalCode];
}

async function refuses(url: string): Promise<boolean> {
  return await fetch(url).then(
    () => false,
    () => true,
  );
}

describe('mailproof demo', () => {
  let child: ReturnType<typeof start>;
  let demo: Printed;
  before(async () => {
    await buildConsole();
    child = start('--json', '--port', '0');
    demo = JSON.parse(await printed(child, '\n')) as Printed;
  });
  after(() => child.kill('SIGKILL'));

  test('the sample list shows every status, each as its story promises, and no socket leaves the machine', async () => {
    const client = createClient({ baseUrl: demo.url, apiKey: demo.live_key });
    const emails = sampleRows().map(({ email }) => email);
    const wandered: OpenSocket[] = [];
    let seen = 0;
    const watching = new AbortController();
    const watch = (async () => {
      while (!watching.signal.aborted) {
        const sockets = openSockets(child.pid ?? 0);
        seen += sockets.length;
        wandered.push(...sockets.filter(strayed));
        await pause(20, undefined, { signal: watching.signal }).catch(() => undefined);
      }
    })();
    const found = new Map<string, string>();
    for await (const answer of client.verifyMany(emails)) {
      if (answer.kind === 'verified') found.set(answer.email.toLowerCase(), answer.result.status);
    }
    watching.abort();
    await watch;
    const expected = companies.flatMap((company) =>
      company.people.map((person) => [addressOf(person, company), person.status] as const),
    );
    assert.deepEqual([...found].sort(), [...expected].sort());
    assert.deepEqual([...new Set(found.values())].sort(), [...statuses].sort());
    assert.ok(seen > 500, 'the mail hosts themselves are sockets of the demonstration');
    assert.deepEqual(wandered, []);
  });

  test('alone, every address comes to what the welcome says', async () => {
    const client = createClient({ baseUrl: demo.url, apiKey: demo.live_key });
    for (const company of companies) {
      // The list has been here before, so a host that greylists would know us by now.
      for (const person of company.people.filter(({ alone }) => alone === undefined)) {
        const { status } = await client.verify(addressOf(person, company));
        assert.equal(status, person.status, addressOf(person, company));
      }
    }
  });

  test('the sample list is a file that holds all of it', () => {
    const lines = readFileSync(demo.sample_list, 'utf8').split('\r\n');
    assert.equal(lines[0], 'name,company,email');
    assert.equal(lines.length, sampleRows().length + 2);
  });

  test('the test key is in force', async () => {
    const client = createClient({ baseUrl: demo.url, apiKey: demo.test_key });
    assert.equal((await client.verify('safe@example.com')).status, 'safe');
  });

  test('the admin token is in force, with accounts to look after', async () => {
    const client = createAdminClient({ baseUrl: demo.url, token: demo.admin_token });
    const { accounts } = await client.accounts.list();
    const names = accounts.map(({ name }) => name);
    assert.deepEqual(names.sort(), ['Demonstration', 'Former customer', 'Harbour Books']);
  });

  test('the console is served', async () => {
    const answer = await fetch(demo.url, { headers: { accept: 'text/html' } });
    assert.equal(answer.status, 200);
    assert.match(await answer.text(), /<div id="app">/);
  });

  test('told to end, it closes its port and leaves no file', async () => {
    child.kill('SIGTERM');
    assert.deepEqual(await ended(child), [0, null]);
    assert.ok(await refuses(demo.url));
    assert.equal(existsSync(dirname(demo.sample_list)), false);
  });

  test('for a person it prints where to go and what to try; Ctrl-C ends it', async () => {
    const other = start('--port', '0');
    const welcome = await printed(other, 'Ctrl-C');
    assert.match(welcome, /console +http:\/\/127\.0\.0\.1:\d+/);
    assert.match(welcome, /live key +mp_live_\w+ /);
    for (const status of statuses) assert.match(welcome, new RegExp(`@\\S+ +${status} `));
    const farewell = text(other.stdout);
    other.kill('SIGINT');
    assert.match(await farewell, /Everything it wrote was removed/);
    assert.deepEqual(await ended(other), [0, null]);
  });

  test('a port that --port names and that is taken is refused in one line', async () => {
    const squatter = createServer().listen(0, '127.0.0.1');
    await once(squatter, 'listening');
    const taken = (squatter.address() as { port: number }).port;
    const other = start('--port', `${taken}`);
    const said = text(other.stderr);
    assert.deepEqual(await ended(other), [3, null]);
    assert.match(
      await said,
      new RegExp(`^mailproof: Port ${taken} is taken: choose another with --port.*\\n$`),
    );
    squatter.close();
  });

  test('the usual port that is taken, and a port that is set, are told', async () => {
    const squatter = createServer().listen(8080, '127.0.0.1');
    // Another program may have it already, which is as well.
    await Promise.race([once(squatter, 'listening'), once(squatter, 'error')]);
    const other = start('--json');
    const said = text(other.stderr);
    const { url } = JSON.parse(await printed(other, '\n')) as Printed;
    assert.notEqual(new URL(url).port, '8080');
    other.kill('SIGTERM');
    await ended(other);
    assert.match(await said, /^mailproof: .* MAILPROOF_PORT is not used: choose its port with --port$/m);
    assert.match(
      await said,
      /^mailproof: Port 8080 is taken, so the demo uses \d+ \(choose one with --port\)$/m,
    );
    squatter.close();
  });

  test('explains itself with --help, and says what is wrong with an option', async () => {
    const helped = start('--help');
    assert.match(await text(helped.stdout), /--port N/);
    const wrong = start('--port', 'x');
    assert.deepEqual(await ended(wrong), [2, null]);
  });
});
