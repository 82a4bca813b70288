import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { runMailproof } from '../../../service/test/support/mailproof.ts';
import { sampleList, sampleRows } from '../../../scripts/demo/sample-list.ts';
import { agree, bringList, done, download, fact } from '../support/list-steps.ts';
import { openConsoleFixture, type ConsoleFixture } from '../support/open-fixture.ts';
import { signIn } from '../support/sign-in.ts';
import { startWeakConnection } from '../support/start-weak-connection.ts';

/** So many people whom a catch-all host takes: each is charged for, so that what is paid twice shows. */
function people(count: number): { name: string; text: string } {
  const rows = Array.from({ length: count }, (_, i) => `${i + 1},person-${i + 1}@bright-ideas.example`);
  return { name: 'people.csv', text: ['id,email', ...rows, ''].join('\n') };
}

describe('a list', () => {
  let fixture: ConsoleFixture;
  before(async () => {
    fixture = await openConsoleFixture();
  });
  after(() => fixture.close());

  test('goes from upload to download as the command line would write it, byte for byte', async () => {
    const { url: origin } = fixture.demo;
    const secret = await fixture.openAccount({ name: 'Page', credits: 100 });
    const visitor = await fixture.visitor();
    const { page } = visitor;
    await signIn(page, { origin, secret });
    await bringList(page, { name: 'contacts.csv', text: sampleList() });
    assert.equal(await fact(page, 'Rows'), `${sampleRows().length}`);
    assert.equal(await fact(page, 'Duplicates'), '2');
    assert.equal(await fact(page, 'Blank'), '1');
    assert.equal(
      (await fixture.creditsOf(secret)).available,
      100,
      'nothing is spent before it was agreed to',
    );
    await agree(page);
    const byCommand = await checkByCommand(fixture);
    await done(page, 'contacts.csv').waitFor();
    assert.deepEqual([await fact(page, 'Addresses'), await fact(page, 'Not an address')], ['41', '2']);
    const all = await download(page);
    assert.equal(all.name, 'contacts.checked.csv');
    assert.equal(all.text, byCommand);
    assert.equal(withoutOurs(all.text), sampleList(), 'the rows are as they were');
    const [heading, ...lines] = byCommand.split('\r\n');
    const safe = await download(page, /^Safe/);
    assert.equal(safe.name, 'contacts.safe.csv');
    const kept = lines.filter((line) => line.split(',').at(-5) === 'safe');
    assert.equal(safe.text, [heading, ...kept, ''].join('\r\n'));
    assert.ok(kept.length > 5);
    const { reserved, spent } = await fixture.creditsOf(secret);
    const charged = lines.filter((line) => /,(?!unknown|rejected)[a-z_]+,[^,]*,[^,]*,[^,]*,\w+$/.test(line));
    // Two rows are duplicates, which are answered and not charged.
    assert.deepEqual({ reserved, spent }, { reserved: 0, spent: charged.length - 2 });
    await page.getByText(`${spent} credits charged`).waitFor();
    await visitor.leave();
  });

  test('whose connection is lost in the middle goes on by itself and pays nothing twice', async (t) => {
    const addresses = 2_000;
    const secret = await fixture.openAccount({ name: 'Weak line', credits: 2 * addresses });
    const line = await startWeakConnection(fixture.demo.url);
    t.after(() => line.stop());
    const visitor = await fixture.visitor({ origin: line.origin });
    const { page } = visitor;
    visitor.expectTrouble('failed /');
    await signIn(page, { origin: line.origin, secret });
    await bringList(page, people(addresses));
    const lost = page.getByText('Connection lost');

    // The first tasks are created and nobody hears of it: were they created anew, they would be paid for again.
    line.swallowAnswers();
    await agree(page);
    await lost.waitFor();
    line.mend();
    await lost.waitFor({ state: 'hidden' });

    await page.waitForFunction(() => (document.querySelector('progress')?.value ?? 0) > 0);
    line.cut();
    await lost.waitFor();
    assert.equal(await done(page, 'people.csv').isVisible(), false, 'it was cut in the middle');
    line.mend();
    await done(page, 'people.csv').waitFor();
    assert.equal(await fact(page, 'Addresses'), '2,000');
    const credits = await fixture.creditsOf(secret);
    assert.deepEqual([credits.spent, credits.reserved], [addresses, 0]);
    assert.equal(await tasksOf(fixture, secret), addresses / 100);
    const { text } = await download(page);
    assert.equal(text.match(/,catch_all,60,false,true,/g)?.length, addresses);
    await visitor.leave();
  });

  test('that is reloaded in the middle goes on where it was', async () => {
    const addresses = 1_000;
    const secret = await fixture.openAccount({ name: 'Reloaded', credits: 2 * addresses });
    const visitor = await fixture.visitor();
    const { page } = visitor;
    await signIn(page, { origin: fixture.demo.url, secret });
    await bringList(page, people(addresses));
    await agree(page);
    await page.waitForFunction(() => (document.querySelector('progress')?.value ?? 0) > 0);
    await page.reload();
    await done(page, 'people.csv').waitFor();
    const credits = await fixture.creditsOf(secret);
    assert.deepEqual([credits.spent, credits.reserved], [addresses, 0]);
    assert.equal(await tasksOf(fixture, secret), addresses / 100);
    await visitor.leave();
  });

  test('for which the credits do not suffice says so before, pauses where they end, and goes on', async () => {
    const secret = await fixture.openAccount({ name: 'Short of credits', credits: 250 });
    const visitor = await fixture.visitor();
    const { page } = visitor;
    await signIn(page, { origin: fixture.demo.url, secret });
    await bringList(page, people(400));
    await page.getByText('150 credits may be missing').waitFor();
    visitor.expectTrouble('429 /api/v1/bulk-email-verification');
    await agree(page);
    await page.getByRole('heading', { level: 2, name: 'people.csv is paused' }).waitFor();
    await page.getByText('Not enough credits').waitFor();
    await fixture.grant(secret, 200);
    await page.getByRole('button', { name: 'Resume' }).click();
    await done(page, 'people.csv').waitFor();
    assert.deepEqual(await fixture.creditsOf(secret), {
      granted: 450,
      available: 50,
      reserved: 0,
      spent: 400,
    });
    await visitor.leave();
  });
});

/** The same list by `mailproof check`, under an account of its own. */
async function checkByCommand(fixture: ConsoleFixture): Promise<string> {
  const { url, sampleListFile: file } = fixture.demo;
  const key = await fixture.openAccount({ name: 'Command line', credits: 100 });
  const folder = mkdtempSync(join(tmpdir(), 'mailproof-e2e-'));
  const output = join(folder, 'checked.csv');
  const env = { MAILPROOF_URL: url, MAILPROOF_API_KEY: key };
  const { code, stderr } = await runMailproof(['check', file, '--output', output, '--yes', '--json'], {
    env,
  });
  assert.equal(code, 0, stderr);
  const text = readFileSync(output, 'utf8');
  rmSync(folder, { recursive: true });
  // The command line has the engine's parser and knows what is wrong with what is no address; the page is told that
  // it is none.
  return text.replace(/,rejected,,,,\w+\r\n/g, ',rejected,,,,rejected_by_service\r\n');
}

function withoutOurs(text: string): string {
  return text.replace(/(?:,[^,\r\n]*){5}(?=\r\n)/g, '');
}

async function tasksOf({ demo }: ConsoleFixture, key: string): Promise<number> {
  const headers = { authorization: `Bearer ${key}` };
  const answer = await fetch(`${demo.url}/api/v1/account/tasks?limit=100`, { headers });
  return ((await answer.json()) as { tasks: unknown[] }).tasks.length;
}
