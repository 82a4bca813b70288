import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { createApiClient } from '../../../service/test/support/api-client.ts';
import { withoutChromium } from '../support/open-browser.ts';
import { openConsoleFixture, type ConsoleFixture } from '../support/open-fixture.ts';
import { signIn } from '../support/sign-in.ts';

describe('signing in and out', { skip: withoutChromium }, () => {
  let fixture: ConsoleFixture;
  before(async () => {
    fixture = await openConsoleFixture();
  });
  after(() => fixture.close());

  test('a key opens the pages of its account, and signing out closes them', async () => {
    const { url: origin, liveKey } = fixture.demo;
    const visitor = await fixture.visitor();
    const { page, context } = visitor;
    await signIn(page, { origin, secret: liveKey });
    await page.getByRole('heading', { level: 1, name: 'Check an address' }).waitFor();
    assert.equal(new URL(page.url()).pathname, '/check');
    await page.reload();
    await page.getByRole('heading', { level: 1, name: 'Check an address' }).waitFor();
    const [cookie] = await context.cookies();
    assert.deepEqual(
      [cookie?.name, cookie?.httpOnly, cookie?.sameSite],
      ['mailproof_session', true, 'Strict'],
    );
    await page.getByRole('button', { name: 'Sign out' }).click();
    await page.getByRole('heading', { level: 1, name: 'Sign in' }).waitFor();
    const docs = page.getByRole('link', { name: 'documentation of the API' });
    assert.equal(await docs.getAttribute('href'), '/docs');
    assert.deepEqual(await context.cookies(), []);
    // A kept cookie is useless: the service has forgotten the session.
    await context.addCookies([cookie!]);
    await page.goto(`${origin}/check`);
    await page.getByRole('heading', { level: 1, name: 'Sign in' }).waitFor();
    await visitor.leave();
  });

  test('the key is kept nowhere a script could read it', async () => {
    const { url: origin, liveKey } = fixture.demo;
    const visitor = await fixture.visitor();
    await signIn(visitor.page, { origin, secret: liveKey });
    const readable = await visitor.page.evaluate(() =>
      JSON.stringify([
        document.cookie,
        Object.entries(localStorage),
        Object.entries(sessionStorage),
        location,
      ]),
    );
    assert.ok(!readable.includes(liveKey.slice(8)), readable);
    assert.ok(!(await visitor.page.content()).includes(liveKey));
    await visitor.leave();
  });

  test('the admin token opens the operator’s pages, and those alone', async () => {
    const { url: origin, adminToken } = fixture.demo;
    const visitor = await fixture.visitor();
    const { page } = visitor;
    await signIn(page, { origin, secret: adminToken });
    await page.getByRole('link', { name: 'Audit log' }).waitFor();
    await page.goto(`${origin}/check`);
    await page.getByRole('heading', { level: 1, name: 'A different sign-in is needed' }).waitFor();
    await visitor.leave();
  });

  test('a page that was asked for comes after the sign-in', async () => {
    const { url: origin, liveKey } = fixture.demo;
    const visitor = await fixture.visitor();
    await signIn(visitor.page, { origin, secret: liveKey, path: '/tasks' });
    await visitor.page.getByRole('heading', { level: 1, name: 'Tasks' }).waitFor();
    await visitor.leave();
  });

  test('a key that is deleted ends its sessions, and the page says so', async () => {
    const { url: origin } = fixture.demo;
    const secret = await fixture.openAccount({ name: 'Short-lived', credits: 5 });
    const visitor = await fixture.visitor();
    const { page } = visitor;
    await signIn(page, { origin, secret });
    await deleteKey(origin, secret);
    visitor.expectTrouble('401 /api/v1/');
    // The service forgets a deleted key within a second, so the page may get some answers before.
    const field = page.getByLabel('Email address');
    const ended = page.getByText('Your session has ended');
    while (!(await ended.isVisible())) {
      await field.fill('ada@northwind.example', { timeout: 1_000 }).catch(() => undefined);
      await field.press('Enter', { timeout: 1_000 }).catch(() => undefined);
    }
    await page.getByRole('heading', { level: 1, name: 'Sign in' }).waitFor();
    await visitor.leave();
  });

  test('wrong keys are refused in words, and after several the next has to wait', async () => {
    const { url: origin, liveKey } = fixture.demo;
    const visitor = await fixture.visitor();
    const { page } = visitor;
    await page.goto(origin);
    const field = page.getByLabel('API key or admin token');
    const wrong = `${liveKey.slice(0, -1)}${liveKey.endsWith('A') ? 'B' : 'A'}`;
    await field.fill(wrong);
    await field.press('Enter');
    await page.getByText('Unknown key').waitFor();
    assert.equal(await field.evaluate((element) => element === document.activeElement), true);
    await field.fill('no token of anybody');
    await field.press('Enter');
    visitor.expectTrouble('429 /session');
    const slowed = page.getByText('Too many attempts');
    while (!(await slowed.isVisible())) {
      await page.getByRole('button', { name: 'Sign in' }).click();
      await page.getByRole('button', { name: 'Sign in', exact: true }).waitFor();
    }
    await page.getByText(/Try again in \d+ s\./).waitFor();
    await visitor.leave();
  });
});

async function deleteKey(origin: string, key: string): Promise<void> {
  const path = '/api/v1/account/keys';
  const client = createApiClient(origin);
  const listed = await client.ask({ method: 'GET', path, key });
  const [own] = listed.body['keys'] as { key_id: string }[];
  const deleted = await client.ask({ method: 'DELETE', path: `${path}/${own?.key_id ?? ''}`, key });
  assert.equal(deleted.status, 204);
  client.close();
}
