import assert from 'node:assert/strict';
import { readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { openFixture, type Fixture } from '../../../../service/test/support/open-fixture.ts';
import { countsOf, messyFiles, refusedFiles } from '../../../../service/test/support/messy-files.ts';
import { countsOf as presentCounts } from './present-list.ts';
import { runHere } from '../../../test/support/run-here.ts';

/** The cost is not agreed to, so each list is surveyed, described and deleted: no mail host is needed. */
describe('a file as people have them, checked by the command line', () => {
  let fixture: Fixture;
  let service: Awaited<ReturnType<Fixture['startHere']>> | undefined;
  let env: Record<string, string>;
  before(async () => {
    fixture = await openFixture({
      world: { zones: {}, hosts: {} },
      settings: { MAILPROOF_SMTP_PORT: '2525' },
    });
    service = await fixture.startHere();
    const { liveKey } = await fixture.openAccount({ credits: 100 });
    env = { MAILPROOF_URL: service.url, MAILPROOF_API_KEY: liveKey };
  });
  after(async () => {
    await service?.stop();
    await fixture.close();
  });

  async function check(file: string | Buffer, more: string[] = []) {
    const [input, output] = ['list', 'out.csv'].map((name) => join(fixture.dataDir, name));
    writeFileSync(input ?? '', file);
    const ended = await runHere(['check', input ?? '', '--output', output ?? '', ...more], { env });
    assert.ok(!readdirSync(fixture.dataDir).includes('out.csv'));
    return ended;
  }

  for (const [name, { file, column, split, reads }] of Object.entries(messyFiles))
    test(`${name}: is counted as it is read`, async () => {
      const options = [
        ...(column === undefined ? [] : ['--column', column]),
        ...(split === true ? ['--split'] : []),
      ];
      const { code, stderr } = await check(await file, options);
      const [counts, ...rest] = stderr.split('\n');
      assert.equal(counts, presentCounts(countsOf({ reads })));
      assert.match(rest.join('\n'), /Cost: up to \d+ credits?, .*\n.*To agree in advance, add --yes/);
      assert.equal(code, 2);
    });

  for (const [name, { file, says }] of Object.entries(refusedFiles))
    test(`${name}: is refused with what to do, and exit code 2`, async () => {
      const { code, stderr } = await check(await file, ['--yes']);
      assert.match(stderr, says);
      assert.equal(code, 2);
    });

  test('nothing of them is left behind', async () => {
    const { stderr } = await runHere(['lists'], { env });
    assert.match(stderr, /No lists yet/);
  });
});
