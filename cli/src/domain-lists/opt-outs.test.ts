import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { runHere } from '../../test/support/run-here.ts';

const folder = mkdtempSync(join(tmpdir(), 'mailproof-opt-outs-'));
after(() => rmSync(folder, { recursive: true }));

test('domains are added once, listed and removed, and what else stands in the file stays', async () => {
  const env = { MAILPROOF_DATA_DIR: folder };
  const file = join(folder, 'opt-outs.txt');
  const run = (...words: string[]) => runHere(['opt-outs', ...words], { env });
  assert.match((await run()).stderr, /No domain has opted out/);
  writeFileSync(file, '# by mail of Monday\nexample.net');
  assert.equal((await run('add', 'Example.com', 'bücher.example', 'example.net')).code, 0);
  assert.equal(
    readFileSync(file, 'utf8'),
    '# by mail of Monday\nexample.net\nexample.com\nxn--bcher-kva.example\n',
  );
  assert.equal((await run('add', 'example.com')).code, 0);
  const listed = await run('list', '--json');
  assert.equal(
    listed.stdout,
    '{"domain":"example.net"}\n{"domain":"example.com"}\n{"domain":"xn--bcher-kva.example"}\n',
  );
  assert.equal((await run('remove', 'example.net')).code, 0);
  assert.equal(readFileSync(file, 'utf8'), '# by mail of Monday\nexample.com\nxn--bcher-kva.example\n');
});

test('what is no domain, and what has not opted out, is refused, and nothing is written', async () => {
  const env = { MAILPROOF_OPT_OUT_FILE: join(folder, 'other', 'list.txt') };
  assert.equal((await runHere(['opt-outs', 'add', 'example.com', 'ada@example.com'], { env })).code, 2);
  assert.equal((await runHere(['opt-outs', 'remove', 'example.com'], { env })).code, 2);
  assert.equal((await runHere(['opt-outs', 'list'], { env })).stdout, '');
});
