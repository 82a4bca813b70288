import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { after, before, describe, test } from 'node:test';
import { createClient } from '@mailproof/client';
import { withoutChromium } from '../support/open-browser.ts';
import { fact } from '../support/list-steps.ts';
import { openConsoleFixture, type ConsoleFixture } from '../support/open-fixture.ts';
import { signIn } from '../support/sign-in.ts';

describe('the account and its tasks', { skip: withoutChromium }, () => {
  let fixture: ConsoleFixture;
  before(async () => {
    fixture = await openConsoleFixture();
  });
  after(() => fixture.close());

  test('the statement adds up to the balance, and the use of today is on the chart', async () => {
    const { url: origin } = fixture.demo;
    const secret = await fixture.openAccount({ name: 'Bookkeeper', credits: 50 });
    const client = createClient({ baseUrl: origin, apiKey: secret });
    await client.verify('ada@northwind.example');
    await client.verify('victor.hale@cautious-bank.example');
    await client.runTask(['yuki@harbour-books.example', 'omar@harbour-books.example', 'no address']);
    const visitor = await fixture.visitor();
    const { page } = visitor;
    await signIn(page, { origin, secret, path: '/account' });
    await page.getByText('47 available + 0 reserved + 3 spent = 50 granted').waitFor();
    assert.equal(await fact(page, 'Spent'), '3');
    const statement = page.getByRole('region', { name: 'Statement' });
    await statement.getByText('Running balance').waitFor();
    const changes = await statement.getByRole('row').locator('td:nth-child(4)').allInnerTexts();
    assert.equal(changes.at(-1), '+50');
    // A charge takes reserved credits: it has no sign, and does not change the available ones.
    const signed = changes.filter((text) => /^[+−]/.test(text)).map((text) => Number(text.replace('−', '-')));
    assert.equal(
      signed.reduce((sum, change) => sum + change, 0),
      47,
    );
    await page.getByRole('region', { name: 'Usage' }).getByText('3 credits in 30 days').waitFor();
    await visitor.leave();
  });

  test('a key is shown once, copied with a click, works, is named and deleted', async () => {
    const { url: origin } = fixture.demo;
    const secret = await fixture.openAccount({ name: 'Locksmith', credits: 5 });
    const visitor = await fixture.visitor();
    const { page, context } = visitor;
    await context.grantPermissions(['clipboard-read', 'clipboard-write'], { origin });
    await signIn(page, { origin, secret, path: '/account' });
    await page.getByLabel('Name of the new key').fill('newsletter');
    await page.getByRole('button', { name: 'Create key' }).click();
    const dialog = page.getByRole('dialog', { name: 'Copy the new key now' });
    const shown = await dialog.locator('code').innerText();
    await dialog.getByRole('button', { name: /^Copy/ }).click();
    await dialog.getByText(/Copied/).waitFor();
    assert.equal(await page.evaluate(() => navigator.clipboard.readText()), shown);
    const made = createClient({ baseUrl: origin, apiKey: shown });
    assert.equal((await made.verify('ada@northwind.example')).status, 'safe');
    await dialog.getByRole('button', { name: 'Done' }).click();
    assert.ok(!(await page.content()).includes(shown), 'it is shown this once');

    await page.getByRole('button', { name: 'Limits of newsletter' }).click();
    const limits = page.getByRole('dialog', { name: 'Limits of newsletter' });
    await limits.getByLabel('Manage keys and webhooks').uncheck();
    await limits.getByLabel('Most credits a day').fill('5');
    await limits.getByRole('button', { name: 'Save limits' }).click();
    await page
      .getByText('only verify, tasks, lists, account:read; 1 of 5 credits used today')
      .or(page.getByText('only verify, tasks, lists, account:read; 0 of 5 credits used today'))
      .waitFor();

    await page.getByRole('button', { name: 'Rename newsletter' }).click();
    await page.getByRole('dialog').getByLabel('Name').fill('shop');
    await page.getByRole('button', { name: 'Save name' }).click();
    await page.getByRole('button', { name: 'Delete shop' }).click();
    await page.getByRole('button', { name: 'Delete key' }).click();
    await page.getByRole('button', { name: 'Delete shop' }).waitFor({ state: 'detached' });
    const headers = { authorization: `Bearer ${shown}` };
    for (;;) {
      // The service forgets deleted keys within a second.
      const answer = await fetch(`${origin}/api/v1/account`, { headers });
      await answer.text();
      if (answer.status === 401) break;
    }
    await visitor.leave();
  });

  test('a task is found, opened, and its results are saved', async () => {
    const { url: origin } = fixture.demo;
    const secret = await fixture.openAccount({ name: 'Archivist', credits: 10 });
    const client = createClient({ baseUrl: origin, apiKey: secret });
    await client.runTask(['ada@northwind.example', 'tom.baker@northwind.example'], { name: 'two people' });
    const visitor = await fixture.visitor();
    const { page } = visitor;
    await signIn(page, { origin, secret, path: '/tasks' });
    await page.getByRole('row', { name: /two people.*Completed/ }).waitFor();
    await page.getByRole('link', { name: 'two people' }).click();
    await page.getByRole('heading', { level: 1, name: 'two people' }).waitFor();
    await page.getByRole('button', { name: 'tom.baker@northwind.example' }).click();
    const story = page.getByRole('dialog', { name: 'tom.baker@northwind.example' });
    await story
      .getByText(/User unknown/)
      .first()
      .waitFor();
    await story.getByRole('button', { name: 'Close' }).click();
    const [saved] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('button', { name: 'Download' }).click(),
    ]);
    assert.equal(saved.suggestedFilename(), 'two-people.checked.csv');
    assert.equal(
      readFileSync(await saved.path(), 'utf8')
        .split(/\r?\n/)
        .slice(1, 3)
        .join(' '),
      'ada@northwind.example,safe,96,true,true,mailbox_accepted tom.baker@northwind.example,invalid,0,false,false,user_unknown',
    );
    await visitor.leave();
  });
});
