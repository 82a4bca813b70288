import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { standardCast, standardWorld, startWorld } from '@mailproof/world';
import { runHere } from '../../test/support/run-here.ts';
import { startMailproof, type Started } from '../../test/support/start-mailproof.ts';

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
  const { code, stdout } = await runHere(['check', list, '--output', output, '--yes', '--json'], {
    env: { MAILPROOF_URL: url, MAILPROOF_API_KEY: key },
  });
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
  const told = JSON.parse(stdout) as { rows: number; credits_used: number; statuses: Record<string, number> };
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
  const credits = JSON.parse((await runHere(['credits', 'show', id, '--json'], { env })).stdout) as {
    spent: number;
  };
  assert.equal(credits.spent, told.credits_used);
});

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
