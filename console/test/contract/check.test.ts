import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { after, before, describe, test } from 'node:test';
import type { Page } from 'playwright-core';
import { addressOf, companies } from '../../../cli/src/demo/companies.ts';
import { statusWords } from '../../src/parts/statuses.ts';
import { withoutChromium } from '../support/open-browser.ts';
import { bringList, fact } from '../support/list-steps.ts';
import { openConsoleFixture, type ConsoleFixture } from '../support/open-fixture.ts';
import { signIn } from '../support/sign-in.ts';
import { tabTo } from '../support/tab-to.ts';

/** Submits one address. */
async function check(page: Page, email: string): Promise<void> {
  await page.getByLabel('Email address').fill(email);
  await page.getByRole('button', { name: 'Check', exact: true }).click();
}

describe('checking one address', { skip: withoutChromium }, () => {
  let fixture: ConsoleFixture;
  before(async () => {
    fixture = await openConsoleFixture();
  });
  after(() => fixture.close());

  test('every status is shown in words, for what a real mail host said', async () => {
    const { url: origin, liveKey } = fixture.demo;
    const visitor = await fixture.visitor();
    const { page } = visitor;
    await signIn(page, { origin, secret: liveKey });
    for (const status of new Set(companies.flatMap(({ people }) => people.map((one) => one.status)))) {
      const company = companies.find(({ people }) => people.some((one) => one.status === status))!;
      const email = addressOf(
        company.people.find((one) => one.status === status)!,
        company,
      );
      await check(page, email);
      const verdict = page.getByRole('region', { name: email });
      await verdict.getByText(statusWords[status].meaning).waitFor();
      await verdict.getByText(status === 'unknown' ? 'No credit charged' : '1 credit charged').waitFor();
    }
    await visitor.leave();
  });

  test('the evidence tells which host was asked and what it replied', async () => {
    const { url: origin, liveKey } = fixture.demo;
    const visitor = await fixture.visitor();
    const { page } = visitor;
    await signIn(page, { origin, secret: liveKey });
    await check(page, 'priya.nair@harbour-books.example');
    const evidence = page.getByRole('region', { name: 'Evidence' });
    await evidence.getByText('mx-harbour.google.com').first().waitFor();
    await evidence
      .getByText(/does not exist/)
      .first()
      .waitFor();
    await evidence.getByText('deciding step').waitFor();
    await visitor.leave();
  });

  test('the headline says why, and when to ask again', async () => {
    const { url: origin, testKey } = fixture.demo;
    const visitor = await fixture.visitor();
    const { page } = visitor;
    await signIn(page, { origin, secret: testKey });
    await check(page, 'ada+greylisted@example.com');
    await page
      .getByRole('heading', {
        level: 2,
        name: /^Unknown Greylisted\. Try again in \d+ (?:second|minute)s?\. /,
      })
      .waitFor();
    await visitor.leave();
  });

  test('on a phone the evidence comes before the signals', async () => {
    const { url: origin, liveKey } = fixture.demo;
    const visitor = await fixture.visitor({ width: 390 });
    const { page } = visitor;
    await signIn(page, { origin, secret: liveKey });
    await check(page, 'yuki@harbour-books.example');
    const top = async (name: string) => (await page.getByRole('region', { name }).boundingBox())?.y ?? NaN;
    await page.getByRole('region', { name: 'Evidence' }).waitFor();
    assert.ok((await top('Evidence')) < (await top('Signals')));
    await visitor.leave();
  });

  test('before the first check there are first steps, the API reference and a sample list that can be checked', async () => {
    const { url: origin, testKey } = fixture.demo;
    const visitor = await fixture.visitor();
    const { page } = visitor;
    await signIn(page, { origin, secret: testKey });
    await page.getByText('You are signed in with a test key.').waitFor();
    assert.equal(await page.getByRole('link', { name: 'API reference' }).getAttribute('href'), '/docs');
    const [saved] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('button', { name: 'sample list' }).click(),
    ]);
    const text = readFileSync(await saved.path(), 'utf8');
    await bringList(page, { name: saved.suggestedFilename(), text });
    const counts = [
      await fact(page, 'Addresses'),
      await fact(page, 'Duplicates'),
      await fact(page, 'Repaired'),
    ];
    assert.deepEqual(counts, ['11', '1', '1']);
    await visitor.leave();
  });

  test('what is no address is refused in words and costs nothing', async () => {
    const { url: origin } = fixture.demo;
    const secret = await fixture.openAccount({ name: 'Typing', credits: 3 });
    const visitor = await fixture.visitor();
    const { page } = visitor;
    await signIn(page, { origin, secret });
    visitor.expectTrouble('400 /api/v1/email-verification');
    await check(page, 'ada@@northwind.example');
    await page.getByText('This is not a valid email address').waitFor();
    assert.equal((await fixture.creditsOf(secret)).spent, 0);
    await visitor.leave();
  });

  test('without credits it says how many are missing, and nothing is asked', async () => {
    const { url: origin } = fixture.demo;
    const secret = await fixture.openAccount({ name: 'Penniless', credits: 0 });
    const visitor = await fixture.visitor();
    const { page } = visitor;
    await signIn(page, { origin, secret });
    visitor.expectTrouble('429 /api/v1/email-verification');
    await check(page, 'ada@northwind.example');
    await page.getByText('Not enough credits').waitFor();
    await page.getByText(/1 credit is missing/).waitFor();
    await visitor.leave();
  });

  test('the balance in the header follows what was charged', async () => {
    const { url: origin } = fixture.demo;
    const secret = await fixture.openAccount({ name: 'Thrifty', credits: 7 });
    const visitor = await fixture.visitor();
    const { page } = visitor;
    await signIn(page, { origin, secret });
    await page.getByRole('link', { name: '7 credits' }).waitFor();
    await check(page, 'yuki@harbour-books.example');
    await page.getByRole('link', { name: '6 credits' }).waitFor();
    assert.deepEqual(await fixture.creditsOf(secret), { granted: 7, available: 6, reserved: 0, spent: 1 });
    await visitor.leave();
  });

  test('the keyboard alone goes from the sign-in to an answer', async () => {
    const visitor = await fixture.visitor();
    const { page } = visitor;
    const { keyboard } = page;
    await page.goto(fixture.demo.url);
    await tabTo(page, page.getByLabel('API key or admin token'));
    await keyboard.insertText(fixture.demo.liveKey);
    await keyboard.press('Enter');
    await page.getByRole('heading', { level: 1, name: 'Check an address' }).waitFor();
    await tabTo(page, page.getByLabel('Email address'));
    await keyboard.type('lena.fischer@harbour-books.example');
    await keyboard.press('Enter');
    await page.getByRole('region', { name: 'lena.fischer@harbour-books.example' }).waitFor();
    await tabTo(page, page.getByRole('button', { name: 'Sign out' }));
    await keyboard.press('Enter');
    await page.getByRole('heading', { level: 1, name: 'Sign in' }).waitFor();
    await visitor.leave();
  });
});
