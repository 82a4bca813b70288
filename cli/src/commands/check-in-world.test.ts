import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { standardCast, standardWorld, startWorld } from '@mailproof/world';
import { runHere } from '../../test/support/run-here.ts';
import { startMailproof, type Started } from '../../../service/test/support/mailproof.ts';

/** Everybody whose answer does not hang on this machine, on lists or on patience. */
const cast = standardCast.filter(({ slow, needs }) => slow !== true && needs === undefined);

test('a list of everybody in the world, through the service itself', async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'mailproof-check-world-'));
  const world = await startWorld(standardWorld());
  const env = { ...world.environment, MAILPROOF_PORT: '0', MAILPROOF_DATA_DIR: join(folder, 'data') };
  const service = startMailproof(['serve'], {
    env: {
      ...env,
      MAILPROOF_PACING: 'off',
      MAILPROOF_TASK_DEADLINE_MS: '20000',
      MAILPROOF_LIST_DEADLINE_MS: '20000',
      MAILPROOF_LIST_MAX_BYTES: '1000000',
      MAILPROOF_DEFER_RETRY_MS: '1000',
    },
  });
  t.after(async () => {
    service.child.kill('SIGTERM');
    await service.ended;
    await world.stop();
    rmSync(folder, { recursive: true });
  });
  const { url, key } = await addressAndKey(service);

  const list = join(folder, 'people.csv');
  const output = join(folder, 'checked.csv');
  writeFileSync(
    list,
    `name,email\n${cast.map(({ address }, i) => `"P, ${i}","${address.replaceAll('"', '""')}"\n`).join('')}`,
  );
  const check = (from: string, to: string, ...more: string[]) =>
    runHere(['check', from, '--output', to, '--yes', '--json', ...more], {
      env: { MAILPROOF_URL: url, MAILPROOF_API_KEY: key },
    });
  const { code, stdout } = await check(list, output);
  assert.equal(code, 0);
  const rows = readFileSync(output, 'utf8').trimEnd().split('\n').slice(1);
  // Inside a task an address never fails: what a single verification answers with an error is unknown there.
  const statuses = cast.map(({ address, expect }, i) => ({
    address,
    row: rows[i] ?? '',
    expected: 'status' in expect ? expect.status : 'unknown',
  }));
  const wrong = statuses.filter(({ row, expected }) => !row.includes(`,${expected},`));
  assert.deepEqual(wrong, []);
  const told = JSON.parse(stdout) as Summary;
  const conclusive = Object.entries(told.statuses).filter(
    ([status]) => !['unknown', 'rejected'].includes(status),
  );
  assert.equal(told.rows, cast.length);
  assert.equal(
    told.credits_used,
    conclusive.reduce((sum, [, count]) => sum + count, 0),
  );
  const [account] = (await runHere(['accounts', 'list', '--json'], { env })).stdout.split('\n');
  const { account_id: id } = JSON.parse(account ?? '') as { account_id: string };
  const creditsOf = async (accountId: string) =>
    JSON.parse((await runHere(['credits', 'show', accountId, '--json'], { env })).stdout) as {
      spent: number;
    };
  assert.equal((await creditsOf(id)).spent, told.credits_used);

  await t.test(
    'run again in another format, the same list is downloaded; what was written can be read',
    async () => {
      const workbook = join(folder, 'checked.xlsx');
      const again = await check(list, workbook);
      assert.equal(again.code, 0);
      assert.equal((JSON.parse(again.stdout) as Summary).list_id, told.list_id);
      assert.equal((await creditsOf(id)).spent, told.credits_used);
      const read = await check(workbook, join(folder, 'again.jsonl'), '--column', 'email');
      assert.equal((JSON.parse(read.stdout) as Summary).rows, cast.length);
    },
  );

  await t.test('files that are no list are refused with what the service says, and exit code 2', async () => {
    for (const [content, text] of [
      ['name,phone\nAda,1\n', /We found no email addresses in this file\. Columns seen: name/],
      ['', /The file is empty/],
      [`email\n${'someone@example.com\n'.repeat(100_000)}`, /larger than 1 MB/],
    ] as const) {
      const wrong = join(folder, 'wrong.csv');
      writeFileSync(wrong, content);
      const { code: wrongCode, stderr } = await check(wrong, join(folder, 'wrong-out.csv'));
      assert.match(stderr, text);
      assert.equal(wrongCode, 2);
    }
  });
});

type Summary = {
  list_id: string;
  rows: number;
  credits_used: number;
  statuses: Record<string, number>;
};

function addressAndKey({ child, ended }: Started): Promise<{ url: string; key: string }> {
  return new Promise((resolve, reject) => {
    let text = '';
    child.stdout.on('data', (chunk: Buffer) => {
      text += chunk.toString();
      const url = /http:\/\/127\.0\.0\.1:\d+/.exec(text)?.[0];
      const key = /mp_live_\w+/.exec(text)?.[0];
      if (url !== undefined && key !== undefined && text.includes('"listening"')) resolve({ url, key });
    });
    void ended.then(({ code, stderr }) => reject(new Error(`ended with ${String(code)}: ${stderr}`)));
  });
}
