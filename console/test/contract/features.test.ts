import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import type { BrowserContext } from 'playwright-core';
import { openConsoleFixture, type ConsoleFixture } from '../support/open-fixture.ts';
import { signIn } from '../support/sign-in.ts';

const features = ['lists', 'webhooks', 'forms', 'people', 'probers', 'operator'] as const;
type Feature = (typeof features)[number];

describe('a console without a feature', () => {
  let fixture: ConsoleFixture;
  before(async () => {
    fixture = await openConsoleFixture();
  });
  after(() => fixture.close());

  /** Signs in at a console whose page does not name the feature. */
  async function openWithout(missing: Feature, { secret, path }: { secret: string; path: string }) {
    const visitor = await fixture.visitor();
    await leaveOut(visitor.context, missing);
    await signIn(visitor.page, { origin: fixture.demo.url, secret, path });
    const navigation = visitor.page.getByRole('navigation', { name: 'Pages' });
    return { ...visitor, leave: () => visitor.leave(), navigation };
  }

  for (const [missing, path] of [
    ['lists', '/lists'],
    ['lists', '/lists/3f2c'],
    ['webhooks', '/webhooks'],
    ['webhooks', '/webhooks/3f2c'],
  ] as const)
    test(`${missing}: ${path} is not part of the installation, and no link leads there`, async () => {
      const { page, navigation, leave } = await openWithout(missing, { secret: fixture.demo.liveKey, path });
      await page.getByRole('heading', { level: 1, name: 'Not part of this installation' }).waitFor();
      const links = await navigation.getByRole('link').allInnerTexts();
      assert.deepEqual(
        links,
        ['Check', 'Lists', 'Tasks', 'Account'].filter((name) => name !== 'Lists' || missing !== 'lists'),
      );
      await navigation.getByRole('link', { name: 'Check' }).click();
      await page.getByText('First steps').waitFor();
      assert.equal(await page.getByText('sample list').count(), missing === 'lists' ? 0 : 1);
      await navigation.getByRole('link', { name: 'Account' }).click();
      await page.getByRole('region', { name: 'Statement' }).waitFor();
      const isThere = missing !== 'webhooks';
      assert.equal((await page.getByRole('link', { name: 'Manage webhooks' }).count()) === 1, isThere);
      await leave();
    });

  test('operator: none of its pages is part of the installation, and none is linked', async () => {
    const { adminToken: secret } = fixture.demo;
    const { page, navigation, leave } = await openWithout('operator', { secret, path: '/operator' });
    for (const path of ['/operator', '/operator/accounts', '/operator/audit-log']) {
      await page.goto(fixture.demo.url + path);
      await page.getByRole('heading', { level: 1, name: 'Not part of this installation' }).waitFor();
      assert.equal(await navigation.getByRole('link').count(), 0);
    }
    await leave();
  });

  test('forms: the account has no publishable keys, and nothing asks for them', async () => {
    const asked: string[] = [];
    const { liveKey: secret } = fixture.demo;
    const { page, navigation, leave } = await openWithout('forms', { secret, path: '/check' });
    page.on('request', (request) => void asked.push(new URL(request.url()).pathname));
    await navigation.getByRole('link', { name: 'Account' }).click();
    await page.getByRole('region', { name: 'Statement' }).waitFor();
    assert.equal(await page.getByRole('region', { name: 'Sign-up forms' }).count(), 0);
    assert.ok(asked.some((path) => path.endsWith('/account/keys')));
    assert.deepEqual(
      asked.filter((path) => path.includes('form-keys')),
      [],
    );
    await leave();
  });

  test('people: an invitation is not part of the installation', async () => {
    const visitor = await fixture.visitor();
    await leaveOut(visitor.context, 'people');
    await visitor.page.goto(`${fixture.demo.url}/invitation#token`);
    await visitor.page.getByRole('heading', { level: 1, name: 'Not part of this installation' }).waitFor();
    await visitor.leave();
  });

  test('probers: the health of the service is shown without them', async () => {
    const { adminToken: secret } = fixture.demo;
    const { page, leave } = await openWithout('probers', { secret, path: '/operator' });
    await page.getByRole('region', { name: 'Find a request' }).waitFor();
    assert.equal(
      await page.getByRole('region', { name: 'Egress addresses of this installation' }).count(),
      0,
    );
    await leave();
  });
});

/** Names all features but one in the page, as the service does. */
async function leaveOut(context: BrowserContext, missing: Feature): Promise<void> {
  const present = features.filter((feature) => feature !== missing).join();
  await context.route('**/*', async (route) => {
    if (route.request().resourceType() !== 'document') return route.continue();
    const response = await route.fetch();
    const page = await response.text();
    const body = page.replace(
      'name="mailproof-features" content="all"',
      `name="mailproof-features" content="${present}"`,
    );
    assert.notEqual(body, page, 'the page names its features');
    // The body is no longer compressed.
    const headers = Object.entries(response.headers()).filter(
      ([name]) => !/^content-(?:encoding|length)$/.test(name),
    );
    await route.fulfill({ status: response.status(), headers: Object.fromEntries(headers), body });
  });
}
