import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { createClient } from '@mailproof/client';
import {
  agree,
  bringList,
  chooseFile,
  download,
  fact,
  headline,
  openLists,
  people,
} from '../support/list-steps.ts';
import { openConsoleFixture, type ConsoleFixture } from '../support/open-fixture.ts';
import { signIn } from '../support/sign-in.ts';
import { startWeakConnection } from '../support/start-weak-connection.ts';

describe('a list', () => {
  let fixture: ConsoleFixture;
  before(async () => {
    fixture = await openConsoleFixture({ MAILPROOF_LIST_MAX_BYTES: '1000000' });
  });
  after(() => fixture.close());

  test('comes back as .xlsx and JSON lines too, and each row opens with its evidence', async () => {
    const { url: origin } = fixture.demo;
    const secret = await fixture.openAccount({ name: 'Formats', credits: 10 });
    const visitor = await fixture.visitor();
    const { page } = visitor;
    await signIn(page, { origin, secret });
    await bringList(page, {
      name: 'three.csv',
      text: 'email\nyuki@harbour-books.example\npriya.nair@harbour-books.example\nno address\n',
    });
    await agree(page);
    await page.getByRole('heading', { level: 2, name: '1 of 2 can be mailed: 1 safe' }).waitFor();
    const lines = (await download(page, { format: 'jsonl' })).text.trim().split('\n');
    assert.equal(lines.length, 3);
    const workbook = await download(page, { format: 'xlsx' });
    assert.equal(workbook.name, 'three-checked.xlsx');
    assert.ok(workbook.text.startsWith('PK'));
    await page.getByRole('button', { name: 'priya.nair@harbour-books.example' }).click();
    const dialog = page.getByRole('dialog', { name: 'priya.nair@harbour-books.example' });
    await dialog.getByText('mx-harbour.google.com').first().waitFor();
    await dialog.getByText('deciding step').waitFor();
    await dialog.getByRole('button', { name: 'Close' }).click();
    await page.getByRole('button', { name: 'no address' }).click();
    await page.getByRole('dialog').getByText('It has no @ sign.').waitFor();
    await page.getByRole('dialog').getByRole('button', { name: 'Close' }).click();
    await page.getByLabel('Filter by status').selectOption('Invalid');
    await page.getByText('1 of 3 rows').waitFor();
    await page.getByLabel('Filter by status').selectOption('All statuses');
    await page.getByLabel('Search addresses').fill('YUKI');
    await page.getByText('1 of 3 rows').waitFor();
    await page.getByRole('button', { name: 'yuki@harbour-books.example' }).waitFor();
    await visitor.leave();
  });

  test('with a mistyped domain says so before anything is charged, and lets every address of a cell be checked', async () => {
    const secret = await fixture.openAccount({ name: 'Typos', credits: 10 });
    const visitor = await fixture.visitor();
    const { page } = visitor;
    await signIn(page, { origin: fixture.demo.url, secret });
    await bringList(page, {
      name: 'typos.csv',
      text: 'email\nann@gmial.com\nbo@gmial.com\ncy@hotmail.com; dee@example.com\n',
    });
    const notice = page.getByRole('status').filter({ hasText: 'A domain may be mistyped' });
    await notice.getByText('gmial.com (2 rows): did you mean gmail.com?').waitFor();
    assert.equal(await fact(page, 'Addresses'), '3');
    await page.getByLabel('Check every address in a cell').check();
    await page.getByRole('button', { name: 'Check 4 addresses' }).waitFor();
    await page.getByRole('link', { name: 'All lists' }).click();
    await page.getByRole('row', { name: /typos\.csv 4 Not started – .* Live key/ }).waitFor();
    assert.equal((await fixture.creditsOf(secret)).spent, 0);
    await visitor.leave();
  });

  test('shows how the addresses of each provider came out', async () => {
    const secret = await fixture.openAccount({ name: 'Providers', credits: 100 });
    const visitor = await fixture.visitor();
    const { page } = visitor;
    await signIn(page, { origin: fixture.demo.url, secret });
    await bringList(page, {
      name: 'two.csv',
      text: 'email\nyuki@harbour-books.example\npriya.nair@harbour-books.example\n',
    });
    await agree(page);
    await headline(page).waitFor();
    const providers = page.getByRole('table', { name: 'By provider' });
    const bar = providers.getByRole('row', { name: /^Google/ }).getByRole('img');
    assert.equal(await bar.getAttribute('aria-label'), 'Safe 1, Invalid 1');
    await visitor.leave();
  });

  test('whose connection is lost goes on, and pays nothing twice', async (t) => {
    const addresses = 500;
    const secret = await fixture.openAccount({ name: 'Weak line', credits: 2 * addresses });
    const line = await startWeakConnection(fixture.demo.url);
    t.after(() => line.stop());
    const visitor = await fixture.visitor({ origin: line.origin });
    const { page } = visitor;
    visitor.expectTrouble('failed /');
    await signIn(page, { origin: line.origin, secret });

    // The file arrives, but the answer is lost. Sent again, it is the same list.
    await openLists(page);
    await page.getByText('No lists yet.').waitFor();
    line.swallowAnswers();
    await chooseFile(page, people(addresses));
    await page.getByText('people.csv was not uploaded.').waitFor();
    line.mend();
    await page.getByRole('button', { name: 'Try again' }).click();
    await page.getByRole('heading', { level: 2, name: 'File contents' }).waitFor();
    assert.equal(await listsOf(fixture, secret), 1);

    // The list starts, but the answer is lost. The page finds out by itself.
    line.swallowAnswers();
    await agree(page);
    await page.getByText('Connection lost').waitFor();
    line.mend();
    await headline(page).waitFor();
    const credits = await fixture.creditsOf(secret);
    assert.deepEqual([credits.spent, credits.reserved], [addresses, 0]);
    const { text } = await download(page);
    assert.equal(text.match(/,catch_all,\d+,false,true,/g)?.length, addresses);
    await visitor.leave();
  });

  test('for which the credits do not suffice says so, is not started, and is when there are enough', async () => {
    const secret = await fixture.openAccount({ name: 'Short of credits', credits: 25 });
    const visitor = await fixture.visitor();
    const { page } = visitor;
    await signIn(page, { origin: fixture.demo.url, secret });
    await bringList(page, people(40));
    await page.getByText('You need 15 more credits').waitFor();
    visitor.expectTrouble('429 /api/v1/lists/');
    await agree(page);
    await page.getByText('Not enough credits').waitFor();
    await page.getByText(/credits grant acct_\w+ 15/).waitFor();
    assert.equal((await fixture.creditsOf(secret)).available, 25);
    await fixture.grant(secret, 20);
    await agree(page);
    await headline(page).waitFor();
    assert.deepEqual(await fixture.creditsOf(secret), { granted: 45, available: 5, reserved: 0, spent: 40 });
    await visitor.leave();
  });

  test('is checked as far as one likes', async () => {
    const secret = await fixture.openAccount({ name: 'First ones', credits: 7 });
    const visitor = await fixture.visitor();
    const { page } = visitor;
    await signIn(page, { origin: fixture.demo.url, secret });
    await bringList(page, people(40));
    await page.getByLabel('Limit to the first').fill('7');
    await page.getByText('This costs up to 7 credits').waitFor();
    await agree(page);
    await page.getByText('33 addresses were left out.').waitFor();
    assert.equal((await fixture.creditsOf(secret)).spent, 7);
    await visitor.leave();
  });

  test('that cannot be read is refused with what was seen and what to do', async () => {
    const { url: origin, liveKey } = fixture.demo;
    const visitor = await fixture.visitor();
    const { page } = visitor;
    await signIn(page, { origin, secret: liveKey });
    visitor.expectTrouble('400 /api/v1/lists', '415 /api/v1/lists');
    await chooseFile(page, { name: 'colours.csv', text: 'colour,size\nred,1\nblue,2\n' });
    await page.getByText('This list cannot be read').waitFor();
    await page.getByText(/We found no email addresses in this file\. Columns seen: colour/).waitFor();
    await chooseFile(page, { name: 'old.pdf', text: '%PDF-1.7' });
    await page.getByText('This file is a PDF. To check it, export the list as CSV or .xlsx.').waitFor();
    await chooseFile(page, { name: 'empty.csv', text: '' });
    await page.getByText('The file is empty. Upload a list with at least one address.').waitFor();
    await page.getByLabel('Or paste addresses').fill('red\nblue\n');
    await page.getByRole('button', { name: 'Upload pasted addresses' }).click();
    await page.getByText('We couldn’t find an email column in what you pasted.').waitFor();
    await visitor.leave();
  });

  test('that is too large is refused with the reason, however much of it is under way', async () => {
    const { url: origin, liveKey } = fixture.demo;
    const visitor = await fixture.visitor();
    const { page } = visitor;
    await signIn(page, { origin, secret: liveKey });
    visitor.expectTrouble('413 /api/v1/lists');
    await chooseFile(page, { name: 'large.csv', text: Buffer.alloc(8_000_000, 'ada@example.com\n') });
    await page.getByText('This list is too large').waitFor();
    await page.getByText('The file is larger than 1 MB. Split it, and upload the parts.').waitFor();
    await visitor.leave();
  });

  test('in which no column looks like addresses is read by the one that is named', async () => {
    const { url: origin, liveKey } = fixture.demo;
    const visitor = await fixture.visitor();
    const { page } = visitor;
    await signIn(page, { origin, secret: liveKey });
    visitor.expectTrouble('400 /api/v1/lists');
    const rows = ['ada@example.com', 'none', 'none given', 'unlisted', 'not known'];
    await chooseFile(page, {
      name: 'sparse.csv',
      text: ['id,contact', ...rows.map((row, i) => `${i},${row}`)].join('\n'),
    });
    await page.getByText(/No column holds mostly email addresses/).waitFor();
    await page.getByLabel('Column with the addresses').fill('contact');
    await page.getByRole('button', { name: 'Upload with this column' }).click();
    await page.getByRole('heading', { level: 2, name: 'File contents' }).waitFor();
    assert.deepEqual([await fact(page, 'Addresses'), await fact(page, 'Not an address')], ['1', '4']);
    await visitor.leave();
  });

  test('whose column was guessed wrong is read by another', async () => {
    const { url: origin, liveKey } = fixture.demo;
    const visitor = await fixture.visitor();
    const { page } = visitor;
    await signIn(page, { origin, secret: liveKey });
    await bringList(page, {
      name: 'two-columns.csv',
      text: 'work,home\na@example.com,b@example.net\nc@example.com,d@example.net\ne@example.com,\n',
    });
    assert.equal(await fact(page, 'Blank'), '0');
    await page.getByLabel('Column with the addresses').selectOption('home');
    await page.getByText('Starts with b@example.net').waitFor();
    assert.equal(await fact(page, 'Blank'), '1');
    await visitor.leave();
  });

  test('of a test key says that it is of the sandbox, on the page and in its name', async () => {
    const { url: origin, testKey } = fixture.demo;
    const visitor = await fixture.visitor();
    const { page } = visitor;
    await signIn(page, { origin, secret: testKey });
    await bringList(page, { name: 'try.csv', text: 'email\njane+safe@example.com\n' });
    await page.getByText('This is a sandbox list').waitFor();
    await agree(page, 'Check for free (sandbox)');
    await page.getByText('Nothing was charged (sandbox).').waitFor();
    assert.equal((await download(page)).name, 'try-sandbox-checked.csv');
    await visitor.leave();
  });

  test('is deleted for everybody', async () => {
    const { url: origin } = fixture.demo;
    const secret = await fixture.openAccount({ name: 'Tidy', credits: 5 });
    const visitor = await fixture.visitor();
    const { page } = visitor;
    await signIn(page, { origin, secret });
    await bringList(page, people(3));
    const path = new URL(page.url()).pathname;
    await page.getByRole('button', { name: 'Delete', exact: true }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Delete list' }).click();
    await page.getByText('No lists yet.').waitFor();
    assert.equal(await listsOf(fixture, secret), 0);
    visitor.expectTrouble('404 /api/v1/lists/');
    await page.goto(origin + path);
    await page.getByText('List not found').waitFor();
    await visitor.leave();
  });

  test('prints as a report of one page without addresses', async () => {
    const { url: origin, liveKey } = fixture.demo;
    const visitor = await fixture.visitor();
    const { page } = visitor;
    await signIn(page, { origin, secret: liveKey });
    await bringList(page, people(60));
    await agree(page);
    await headline(page).waitFor();
    await page.getByRole('button', { name: 'person-1@bright-ideas.example' }).waitFor();
    await page.emulateMedia({ media: 'print' });
    assert.equal(await headline(page).isVisible(), true);
    assert.equal(await page.getByRole('heading', { name: 'By provider' }).isVisible(), true);
    assert.ok(!(await page.locator('body').innerText()).includes('bright-ideas.example'));
    const pdf = (await page.pdf({ format: 'A4' })).toString('latin1');
    assert.equal(pdf.match(/\/Type\s*\/Page\b/g)?.length, 1);
    await visitor.leave();
  });
});

async function listsOf({ demo }: ConsoleFixture, key: string): Promise<number> {
  const client = createClient({ baseUrl: demo.url, apiKey: key });
  return (await client.lists.page({ limit: 100 })).lists.length;
}
