import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { describe, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { ask } from '../test/support/ask-dns.ts';

const main = fileURLToPath(new URL('main.ts', import.meta.url));

function start(...args: string[]) {
  return spawn(process.execPath, [main, ...args], { stdio: ['ignore', 'pipe', 'pipe'] });
}

/** Returns the standard output up to and including the given words. */
async function printed(child: ReturnType<typeof start>, words: string): Promise<string> {
  let output = '';
  while (!output.includes(words)) output += String((await once(child.stdout, 'data')) as [Buffer]);
  return output;
}

describe('npm run world', () => {
  test('prints the environment and the cast, serves, and says on exit what it has seen', async () => {
    const child = start();
    const welcome = await printed(child, 'Ctrl-C');
    assert.match(welcome, /export MAILPROOF_SMTP_PORT=\d+/);
    assert.match(welcome, /alive@plain\.test +safe +exists/);
    const server = /MAILPROOF_DNS_SERVERS=(\S+)/.exec(welcome)?.[1] ?? '';
    await ask(server, { name: 'plain.test', type: 'MX' });
    const farewell = text(child.stdout);
    child.kill('SIGINT');
    assert.match(await farewell, /DNS: {2}1 queries \(1 UDP, 0 TCP\) in 1 waves/);
    assert.equal(child.exitCode ?? (await once(child, 'exit'))[0], 0);
  });

  test('prints one JSON object with --json', async () => {
    const child = start('--json', '--latency-ms', '1');
    const { environment, cast } = JSON.parse(await printed(child, '\n')) as Record<string, object>;
    assert.ok(environment && 'MAILPROOF_DNS_SERVERS' in environment);
    assert.ok(Array.isArray(cast) && cast.length > 100);
    child.kill('SIGTERM');
    assert.deepEqual(await once(child, 'exit'), [0, null]);
  });

  test('explains itself with --help', async () => {
    const child = start('--help');
    assert.match(await text(child.stdout), /--smtp-port/);
  });

  for (const args of [['--smtp-port', 'x'], ['--dns-port', '70000'], ['--nonsense']]) {
    test(`says what is wrong with ${args.join(' ')}`, async () => {
      const child = start(...args);
      const [complaint, exit] = await Promise.all([text(child.stderr), once(child, 'exit')]);
      assert.match(complaint, new RegExp(args[0]!));
      assert.deepEqual(exit, [64, null]);
    });
  }
});
