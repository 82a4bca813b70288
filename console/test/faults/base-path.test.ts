import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { agree, bringList, download, headline, people } from '../support/list-steps.ts';
import { openConsoleFixture, type ConsoleFixture } from '../support/open-fixture.ts';
import { signIn } from '../support/sign-in.ts';

/** A request of the page outside of the base path is trouble, and fails the visit. */
describe('the console under a base path', () => {
  const basePath = '/tools/mailproof';
  let fixture: ConsoleFixture;
  before(async () => {
    fixture = await openConsoleFixture({ MAILPROOF_BASE_PATH: basePath });
  });
  after(() => fixture.close());

  async function newVisitor() {
    const visitor = await fixture.visitor();
    visitor.expectTrouble(`401 ${basePath}/session`);
    const { page } = visitor;
    return {
      ...visitor,
      pathname: () => new URL(page.url()).pathname,
      leave: () => visitor.leave(),
      expectTrouble: (trouble: string) => visitor.expectTrouble(trouble),
    };
  }

  test('a person signs in, goes from page to page, opens one anew, and signs out', async () => {
    const { url: origin, liveKey } = fixture.demo;
    assert.ok(origin.endsWith(basePath));
    const { page, context, pathname, leave } = await newVisitor();
    await signIn(page, { origin, secret: liveKey });
    assert.equal(pathname(), `${basePath}/check`);
    const [cookie] = await context.cookies(origin);
    assert.equal(cookie?.path, basePath);
    await page.getByLabel('Email address').fill('ada@northwind.example');
    await page.getByRole('button', { name: 'Check', exact: true }).click();
    await page.getByText('ada@northwind.example').first().waitFor();

    await page.getByRole('link', { name: 'Account', exact: true }).click();
    await page.getByRole('heading', { level: 1, name: 'Account' }).waitFor();
    assert.equal(pathname(), `${basePath}/account`);
    await page.getByRole('link', { name: 'Manage webhooks' }).click();
    await page.getByRole('heading', { level: 1, name: 'Webhooks' }).waitFor();
    await page.goBack();
    await page.getByRole('heading', { level: 1, name: 'Account' }).waitFor();
    await page.reload();
    await page.getByRole('heading', { level: 1, name: 'Account' }).waitFor();

    await page.getByRole('button', { name: 'Sign out' }).click();
    await page.getByRole('heading', { level: 1, name: 'Sign in' }).waitFor();
    assert.deepEqual(await context.cookies(), []);
    await leave();
  });

  test('a list is uploaded, checked and downloaded', async () => {
    const { url: origin, liveKey } = fixture.demo;
    const { page, pathname, leave } = await newVisitor();
    await signIn(page, { origin, secret: liveKey });
    await bringList(page, people(3));
    assert.match(pathname(), /^\/tools\/mailproof\/lists\/[\w-]+$/);
    await agree(page);
    await headline(page).waitFor();
    const saved = await download(page);
    assert.match(saved.text, /person-3@bright-ideas\.example.*catch_all/);
    await leave();
  });

  test('the header leads to the reference, which opens with its introduction', async () => {
    const { url: origin, liveKey } = fixture.demo;
    const { page, pathname, leave, expectTrouble } = await newVisitor();
    // The reference page tries `eval`, and its policy forbids it.
    expectTrouble('policy: script-src eval');
    await signIn(page, { origin, secret: liveKey });
    await page.getByRole('link', { name: 'API docs' }).click();
    await page.getByRole('heading', { name: 'Quick start' }).first().waitFor();
    assert.equal(pathname(), `${basePath}/docs/`);
    await leave();
  });

  test('the guard of forms asks the service that it was loaded from', async () => {
    const { url: origin, formKey } = fixture.demo;
    const { page, leave } = await newVisitor();
    await page.goto(`${origin}/docs/form?key=${formKey}`);
    const asked = page.waitForRequest(`${origin}/api/v1/form-check`);
    await page.getByLabel('Email address').fill('jane@gmial.com');
    await page.getByLabel('Email address').blur();
    assert.equal((await asked).method(), 'POST');
    await leave();
  });
});
