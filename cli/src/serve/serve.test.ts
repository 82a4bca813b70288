import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { startWorld, type World } from '@mailproof/world';
import { createApiClient } from '../../../service/test/support/api-client.ts';
import { runMailproof, startMailproof, type Started } from '../../../service/test/support/mailproof.ts';
import { runHere } from '../../test/support/run-here.ts';

const folder = mkdtempSync(join(tmpdir(), 'mailproof-serve-'));
let world: World;
before(async () => {
  world = await startWorld({
    zones: { 'plain.test': { mx: [[10, 'mx.plain.test']] } },
    hosts: { 'mx.plain.test': { mailboxes: { alive: 'exists' } } },
  });
});
after(async () => {
  await world.stop();
  rmSync(folder, { recursive: true });
});

test('serves with the keys it prints at the first start, next to the other commands, and drains when told to end', async () => {
  const env = { ...world.environment, MAILPROOF_PORT: '0', MAILPROOF_DATA_DIR: join(folder, 'data') };
  const service = startMailproof(['serve'], { env });
  const said = await until(service, /"listening"/);
  const url = /http:\/\/127\.0\.0\.1:\d+/.exec(said)?.[0] ?? '';
  const key = /mp_live_\w+/.exec(said)?.[0] ?? '';

  const client = createApiClient(url);
  const { status, body } = await client.verify(key, 'alive@plain.test');
  assert.deepEqual([status, body['status']], [200, 'safe']);
  client.close();

  const accounts = await runHere(['accounts', 'list', '--json'], { env });
  const { account_id: account } = JSON.parse(accounts.stdout) as { account_id: string };
  const credits = await runHere(['credits', 'show', account, '--json'], { env });
  assert.deepEqual(JSON.parse(credits.stdout), {
    account_id: account,
    granted: 1000,
    available: 999,
    reserved: 0,
    spent: 1,
  });

  service.child.kill('SIGTERM');
  const { code, stderr } = await service.ended;
  assert.deepEqual([code, stderr], [0, '']);
});

test('a port that is taken ends with 3 and one line that names the setting', async () => {
  const squatter = createServer().listen(0, '127.0.0.1');
  await new Promise((resolve) => squatter.once('listening', resolve));
  const address = squatter.address();
  const port = typeof address === 'object' && address !== null ? String(address.port) : '';
  const env = { ...world.environment, MAILPROOF_PORT: port, MAILPROOF_DATA_DIR: join(folder, 'other') };
  const { code, stderr } = await runMailproof(['serve'], { env });
  squatter.close();
  assert.equal(code, 3);
  assert.match(stderr, /^mailproof: port \d+ .*MAILPROOF_PORT.*\n$/);
});

test('a HELO name that leads nowhere is told, and does not hold up the start', async () => {
  const env = {
    ...world.environment,
    MAILPROOF_HELO_NAME: 'box.localdomain',
    MAILPROOF_PORT: '0',
    MAILPROOF_DATA_DIR: join(folder, 'helo'),
  };
  const service = startMailproof(['serve'], { env });
  await until(
    service,
    /HELO name: box\.localdomain is not a name that others can look up\. To see how to fix it, run mailproof doctor\.\n/,
    'stderr',
  );
  service.child.kill('SIGTERM');
  assert.equal((await service.ended).code, 0);
});

test('a role that there is not ends with 2', async () => {
  for (const role of ['none', 'API', '']) assert.equal((await runHere(['serve', '--role', role])).code, 2);
});

/** Waits until the process has printed `wanted`, and returns its output. */
function until(
  { child, ended }: Started,
  wanted: RegExp,
  on: 'stdout' | 'stderr' = 'stdout',
): Promise<string> {
  return new Promise((resolve, reject) => {
    let text = '';
    child[on].on('data', (chunk: Buffer) => {
      text += chunk.toString();
      if (wanted.test(text)) resolve(text);
    });
    void ended.then(({ code, stderr }) => reject(new Error(`ended with ${String(code)}: ${stderr}`)));
  });
}
