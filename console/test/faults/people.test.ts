import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import type { Page } from 'playwright-core';
import { startProvider, type TestProvider } from '../../../service/test/support/oidc/start-provider.ts';
import { freePort } from '@mailproof/world';
import { accessibilityFaults } from '../support/accessibility.ts';
import { openConsoleFixture, type ConsoleFixture } from '../support/open-fixture.ts';

/** People who sign in with a real OpenID provider: the operator invites an owner, the owner a viewer. */
describe('people', () => {
  let provider: TestProvider;
  let fixture: ConsoleFixture;
  before(async () => {
    const port = await freePort();
    const publicUrl = `http://127.0.0.1:${port}`;
    provider = await startProvider([`${publicUrl}/session/callback`]);
    fixture = await openConsoleFixture({
      MAILPROOF_PORT: String(port),
      MAILPROOF_PUBLIC_URL: publicUrl,
      MAILPROOF_OIDC_ISSUER: provider.issuer,
      MAILPROOF_OIDC_CLIENT_ID: provider.client.clientId,
      MAILPROOF_OIDC_CLIENT_SECRET: provider.client.clientSecret,
      MAILPROOF_OIDC_NAME: 'Example Login',
      MAILPROOF_OIDC_OPERATORS: 'root@example.com',
    });
  });
  after(async () => {
    await fixture.close();
    await provider.close();
  });

  async function visitor() {
    const someone = await fixture.visitor();
    // These tests lead to the provider and back.
    someone.expectTrouble(`left for ${provider.issuer}`, 'left for https://fonts.googleapis.com');
    // The provider's own pages load a font, which no test needs.
    await someone.context.route('https://fonts.googleapis.com/**', (route) => route.fulfill({ body: '' }));
    return someone;
  }

  /** Passes the pages of the provider. */
  async function passProvider(page: Page, login: string): Promise<void> {
    await page.getByPlaceholder('Enter any login').fill(login);
    await page.getByPlaceholder('and password').fill('any');
    await page.getByRole('button', { name: 'Sign-in' }).click();
    await page.getByRole('button', { name: 'Continue' }).click();
  }

  async function copyInvitation(page: Page, role: string): Promise<string> {
    await page.getByRole('form', { name: 'Invite a person' }).getByLabel('Role').selectOption(role);
    await page.getByRole('button', { name: 'Create invitation' }).click();
    const dialog = page.getByRole('dialog', { name: 'Copy the invitation now' });
    const url = await dialog.locator('code').innerText();
    await dialog.getByRole('button', { name: 'Done' }).click();
    return url;
  }

  async function accept(page: Page, url: string, login: string): Promise<void> {
    await page.goto(url);
    await page.getByRole('button', { name: 'Accept and sign in with Example Login' }).click();
    await passProvider(page, login);
    await page.getByRole('heading', { level: 1, name: 'Check' }).waitFor();
  }

  test('the operator invites an owner, the owner a viewer, who can only look, and is out when removed', async () => {
    const { url: origin } = fixture.demo;
    const operator = await visitor();
    await operator.page.goto(`${origin}/operator/accounts`);
    await operator.page.getByRole('button', { name: 'Sign in with Example Login' }).waitFor();
    assert.deepEqual(await accessibilityFaults(operator.page), []);
    await operator.page.getByRole('button', { name: 'Sign in with Example Login' }).click();
    await passProvider(operator.page, 'root');
    await operator.page.getByRole('link', { name: 'Accounts' }).click();
    await operator.page.getByLabel('Name', { exact: true }).fill('Lighthouse Press');
    await operator.page.getByRole('button', { name: 'Create account' }).click();
    await operator.page.getByRole('heading', { level: 1, name: 'Lighthouse Press' }).waitFor();
    const toOwner = await copyInvitation(operator.page, 'owner');
    await operator.leave();

    const owner = await visitor();
    await accept(owner.page, toOwner, 'olivia');
    await owner.page.getByRole('navigation').getByRole('link', { name: 'Account' }).click();
    await owner.page.getByText('You are an owner').waitFor();
    const toViewer = await copyInvitation(owner.page, 'viewer');
    assert.deepEqual(await accessibilityFaults(owner.page), []);

    const viewer = await visitor();
    await accept(viewer.page, toViewer, 'victor');
    await viewer.page.getByRole('navigation').getByRole('link', { name: 'Account' }).click();
    await viewer.page.getByText('You are a viewer').waitFor();
    assert.equal(await viewer.page.getByRole('button', { name: 'Create key' }).count(), 0);
    viewer.expectTrouble('403 /api/v1/account/keys', '401 ');
    assert.equal(await createKey(viewer.page), 403);

    await owner.page.reload();
    await owner.page.getByRole('button', { name: 'Remove victor@example.com' }).click();
    await owner.page.getByRole('dialog').getByRole('button', { name: 'Remove' }).click();
    await owner.page
      .getByRole('button', { name: 'Remove victor@example.com' })
      .waitFor({ state: 'detached' });
    // The service forgets the cached session within a second; the page asks until then.
    await viewer.page.waitForFunction(async () => (await fetch('/session')).status === 401);
    await viewer.page.reload();
    await viewer.page.getByRole('button', { name: 'Sign in with Example Login' }).waitFor();
    await viewer.leave();
    await owner.leave();
  });

  test('a page that could not read the ways to sign in asks for them again', async () => {
    const someone = await visitor();
    someone.expectTrouble('failed /session/options');
    let asked = 0;
    await someone.context.route('**/session/options', (route) => {
      asked += 1;
      return asked <= 2 ? route.abort('connectionreset') : route.continue();
    });
    await someone.page.goto(`${fixture.demo.url}/`);
    await someone.page.getByRole('button', { name: 'Sign in with Example Login' }).waitFor();
    assert.equal(asked, 3);
    await someone.leave();
  });
});

/** Creates a key with the session of the page, and retries while the machine is too busy. */
function createKey(page: Page): Promise<number> {
  return page.evaluate(async () => {
    const { csrf_token: token } = (await (await fetch('/session')).json()) as { csrf_token: string };
    const headers = { 'content-type': 'application/json', 'x-csrf-token': token };
    for (;;) {
      const { status } = await fetch('/api/v1/account/keys', { method: 'POST', headers, body: '{}' });
      if (status !== 503) return status;
      await new Promise((resolve) => void setTimeout(resolve, 250));
    }
  });
}
