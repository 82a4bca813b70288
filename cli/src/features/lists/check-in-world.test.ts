import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { standardCast, standardWorld } from '@mailproof/world';
import { openFixture } from '../../../../service/test/support/open-fixture.ts';
import { runHere } from '../../../test/support/run-here.ts';

/** Everybody whose answer does not hang on this machine, on lists or on patience. */
const cast = standardCast.filter(({ slow, needs }) => slow !== true && needs === undefined);

/** Inside a task an address never fails: an error of a single verification is `unknown` there. */
const expected = new Map(
  cast.map(({ address, expect }) => [address, 'status' in expect ? expect.status : 'unknown']),
);

const triesOnABusyMachine = 5;

test('a list of everybody in the world, through the service itself', async (t) => {
  const fixture = await openFixture({
    world: standardWorld(),
    settings: {
      MAILPROOF_LIST_DEADLINE_MS: '20000',
      MAILPROOF_LIST_MAX_BYTES: '1000000',
      MAILPROOF_DEFER_RETRY_MS: '1000',
      // The URL that the command is told then has a path, which the client keeps.
      MAILPROOF_BASE_PATH: '/mailproof',
    },
  });
  t.after(() => fixture.close());
  const service = await fixture.serve();
  assert.match(service.url, /:\d+\/mailproof$/);
  const key = /mp_live_\w+/.exec(service.stdout())?.[0] ?? '';
  const env = { MAILPROOF_URL: service.url, MAILPROOF_API_KEY: key };

  const run = (from: string, to: string, ...more: string[]) =>
    runHere(['check', from, '--output', to, '--yes', '--json', ...more], { env });

  async function check(addresses: string[], name: string): Promise<{ wrong: string[]; charged: number }> {
    const [list, output] = [`${name}.csv`, `${name}.checked.csv`].map((file) => join(fixture.dataDir, file));
    const rows = addresses.map((address, i) => `"P, ${i}","${address.replaceAll('"', '""')}"\n`);
    writeFileSync(list ?? '', `name,email\n${rows.join('')}`);
    const { code, stdout } = await run(list ?? '', output ?? '');
    assert.equal(code, 0);
    const told = JSON.parse(stdout) as Summary;
    const conclusive = Object.entries(told.statuses).filter(
      ([status]) => !['unknown', 'rejected'].includes(status),
    );
    assert.equal(told.rows, addresses.length);
    assert.equal(
      told.credits_used,
      conclusive.reduce((sum, [, count]) => sum + count, 0),
    );
    const answers = readFileSync(output ?? '', 'utf8')
      .trimEnd()
      .split('\n')
      .slice(1);
    const wrong = addresses.filter(
      (address, i) => answers[i]?.includes(`,${expected.get(address) ?? ''},`) !== true,
    );
    // Not to know is honest where the machine is too busy for the patience of an engine, and free. All else is wrong.
    for (const address of wrong)
      assert.match(
        answers[addresses.indexOf(address)] ?? '',
        /,unknown,,,,(?:dns_silence|\w+_timeout|mx_unreachable),$/,
      );
    return { wrong, charged: told.credits_used };
  }

  let { wrong, charged } = await check([...expected.keys()], 'everybody');
  for (let tries = 1; wrong.length > 0 && tries < triesOnABusyMachine; tries += 1) {
    const again = await check(wrong, `again-${tries}`);
    charged += again.charged;
    wrong = again.wrong;
  }
  assert.deepEqual(wrong, []);
  const { env: ours } = fixture;
  const [account] = (await runHere(['accounts', 'list', '--json'], { env: ours })).stdout.split('\n');
  const { account_id: id } = JSON.parse(account ?? '') as { account_id: string };
  const spent = async () => {
    const { stdout } = await runHere(['credits', 'show', id, '--json'], { env: ours });
    return (JSON.parse(stdout) as { spent: number }).spent;
  };
  assert.equal(await spent(), charged);

  const inFolder = (name: string) => join(fixture.dataDir, name);
  await t.test('run again for another format it pays nothing, and what it wrote can be read', async () => {
    const again = await run(inFolder('everybody.csv'), inFolder('everybody.xlsx'));
    assert.deepEqual([again.code, await spent()], [0, charged]);
    const read = await run(inFolder('everybody.xlsx'), inFolder('again.jsonl'), '--column', 'email');
    assert.equal((JSON.parse(read.stdout) as Summary).rows, expected.size);
  });

  await t.test('files that are no list are refused with what the service says, and exit code 2', async () => {
    for (const [content, text] of [
      ['name,phone\nAda,1\n', /We found no email addresses in this file\. Columns seen: name/],
      ['', /The file is empty/],
      [`email\n${'someone@example.com\n'.repeat(100_000)}`, /larger than 1 MB/],
    ] as const) {
      writeFileSync(inFolder('wrong.csv'), content);
      const { code, stderr } = await run(inFolder('wrong.csv'), inFolder('wrong-out.csv'));
      assert.match(stderr, text);
      assert.equal(code, 2);
    }
  });
});

type Summary = { rows: number; credits_used: number; statuses: Record<string, number> };
