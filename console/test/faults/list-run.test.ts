import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { agree, bringList, download, people, type ListFile } from '../support/list-steps.ts';
import { openConsoleFixture, type ConsoleFixture } from '../support/open-fixture.ts';
import { signIn } from '../support/sign-in.ts';
import { tabTo } from '../support/tab-to.ts';

/** The host of this address defers every recipient. */
const whoWaits = 'ines@later-later.example';

/** Returns three addresses with immediate answers and one that is deferred, so that the run does not end. */
function oneWaits(): ListFile {
  const { name, text } = people(3);
  return { name, text: `${text}4,${whoWaits}\n` };
}

describe('a list that runs', () => {
  let fixture: ConsoleFixture;
  before(async () => {
    // Longer than every test: the deferred address still waits at the end.
    fixture = await openConsoleFixture({ MAILPROOF_DEFER_RETRY_MS: '1200000' });
  });
  after(() => fixture.close());

  test('says what waits and until when, is paused (and what is finishing) and resumed, here and elsewhere', async () => {
    const { url: origin } = fixture.demo;
    const secret = await fixture.openAccount({ name: 'Patient', credits: 10 });
    const [here, there] = [await fixture.visitor(), await fixture.visitor({ width: 390 })];
    await signIn(here.page, { origin, secret });
    await bringList(here.page, oneWaits());
    await agree(here.page);
    await here.page.getByText('3 of 4 checked · 75 %').waitFor();
    await here.page
      .getByText(/^1 address waits because a mail server asked us to come back later \(next at /)
      .waitFor();
    const { text } = await download(here.page);
    assert.equal(text.match(/,catch_all,/g)?.length, 3, 'what is known can be downloaded meanwhile');

    await signIn(there.page, { origin, secret, path: new URL(here.page.url()).pathname });
    // The page believes that a dozen conversations are open; its next read finds none.
    await there.page.route('**/pause', async (route) => {
      const response = await route.fetch();
      const record = (await response.json()) as object;
      await route.fulfill({ response, json: { ...record, finishing: 12 } });
    });
    await there.page.getByRole('button', { name: 'Pause' }).click();
    const title = (name: string) => there.page.getByRole('heading', { level: 2, name, exact: true });
    await title('Paused, finishing 12').waitFor();
    await title('Paused').waitFor();
    await there.page.getByText('4 credits stay reserved until you resume or cancel.').waitFor();
    await here.page.getByRole('button', { name: 'Resume' }).click();
    await here.page.getByRole('heading', { level: 2, name: 'Checking' }).waitFor();
    assert.equal((await fixture.creditsOf(secret)).reserved, 4);
    await here.leave();
    await there.leave();
  });

  test('is cancelled: what was checked is charged and kept, the rest returns', async () => {
    const { url: origin } = fixture.demo;
    const secret = await fixture.openAccount({ name: 'Impatient', credits: 10 });
    const visitor = await fixture.visitor();
    const { page } = visitor;
    await signIn(page, { origin, secret });
    await bringList(page, oneWaits());
    await agree(page);
    await page.getByText('3 of 4 checked').waitFor();
    await page.getByRole('button', { name: 'Cancel the check' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Cancel the check' }).click();
    await page.getByText('The check was cancelled: 1 address was not checked.').waitFor();
    await page.getByText('3 credits charged.').waitFor();
    assert.deepEqual(await fixture.creditsOf(secret), { granted: 10, available: 7, reserved: 0, spent: 3 });
    await visitor.leave();
  });

  test('goes on when one signs out, and is there at the next sign-in', async () => {
    const { url: origin } = fixture.demo;
    const secret = await fixture.openAccount({ name: 'Leaver', credits: 10 });
    const visitor = await fixture.visitor();
    const { page } = visitor;
    await signIn(page, { origin, secret });
    await bringList(page, oneWaits());
    await agree(page);
    await page.getByRole('heading', { level: 2, name: 'Checking' }).waitFor();
    // The page reads a running list repeatedly, perhaps also while the session closes.
    visitor.expectTrouble('401 /api/v1/lists');
    await page.getByRole('button', { name: 'Sign out' }).click();
    await page.getByRole('heading', { level: 1, name: 'Sign in' }).waitFor();
    await signIn(page, { origin, secret, path: '/lists' });
    await page.getByRole('row', { name: /people\.csv.*Running/ }).waitFor();
    await page.getByRole('link', { name: 'Tasks' }).click();
    await page.getByText(/No tasks yet/).waitFor();
    await visitor.leave();
  });

  test('is brought, started, read and cancelled with the keyboard alone', async () => {
    const { url: origin } = fixture.demo;
    const secret = await fixture.openAccount({ name: 'Typist', credits: 10 });
    const visitor = await fixture.visitor();
    const { page } = visitor;
    const { keyboard } = page;
    await signIn(page, { origin, secret, path: '/lists' });
    await tabTo(page, page.getByLabel('Or paste addresses'));
    await keyboard.insertText(`yuki@harbour-books.example\n${whoWaits}`);
    await tabTo(page, page.getByRole('button', { name: 'Upload pasted addresses' }));
    await keyboard.press('Enter');
    await page.getByRole('heading', { level: 2, name: 'File contents' }).waitFor();
    await tabTo(page, page.getByRole('button', { name: 'Check 2 addresses' }));
    await keyboard.press('Enter');
    await tabTo(page, page.getByRole('button', { name: 'Spend and check' }));
    await keyboard.press('Enter');
    await page.getByText('1 of 2 checked').waitFor();
    await tabTo(page, page.getByRole('button', { name: 'yuki@harbour-books.example' }));
    await keyboard.press('Enter');
    await page.getByRole('dialog').getByText('deciding step').waitFor();
    await keyboard.press('Escape');
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    await tabTo(page, page.getByRole('button', { name: 'Cancel the check' }));
    await keyboard.press('Enter');
    await tabTo(page, page.getByRole('dialog').getByRole('button', { name: 'Cancel the check' }));
    await keyboard.press('Enter');
    await page.getByRole('heading', { level: 2, name: '1 of 1 checked can be mailed: 1 safe' }).waitFor();
    await visitor.leave();
  });
});
