import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { createClient, MailproofError, type Client } from '@mailproof/client';
import { until } from '../../../service/test/support/until.ts';
import { fact } from '../support/list-steps.ts';
import { openConsoleFixture, type ConsoleFixture } from '../support/open-fixture.ts';
import { signIn } from '../support/sign-in.ts';

describe('the operator', () => {
  let fixture: ConsoleFixture;
  before(async () => {
    fixture = await openConsoleFixture();
  });
  after(() => fixture.close());

  test('creates an account, grants, gives a key, takes the plan, and finds it all in the audit log', async () => {
    const { url: origin, adminToken } = fixture.demo;
    const visitor = await fixture.visitor();
    const { page } = visitor;
    await signIn(page, { origin, secret: adminToken, path: '/operator/accounts' });
    await page.getByLabel('Name', { exact: true }).fill('Lighthouse Press');
    await page.getByLabel('Initial credits').fill('100');
    await page.getByRole('button', { name: 'Create account' }).click();
    await page.getByRole('heading', { level: 1, name: 'Lighthouse Press' }).waitFor();

    await page.getByLabel('Credits to grant').fill('25');
    // Two clicks before the answer are one grant.
    const clickedTwice = Promise.withResolvers<undefined>();
    await page.route('**/grants', async (route) => {
      await clickedTwice.promise;
      await route.continue();
    });
    await page.getByRole('button', { name: 'Grant credits' }).dblclick();
    clickedTwice.resolve(undefined);
    await page.getByText('125 available + 0 reserved + 0 spent = 125 granted').waitFor();

    await page.getByRole('button', { name: 'Create key' }).click();
    const dialog = page.getByRole('dialog', { name: 'Copy the new key now' });
    const key = await dialog.locator('code').innerText();
    await dialog.getByRole('button', { name: 'Done' }).click();
    const client = createClient({ baseUrl: origin, apiKey: key });
    assert.equal((await client.verify('ada@northwind.example')).status, 'safe');

    const rate = page.getByLabel('Requests per minute');
    assert.equal(await rate.inputValue(), '');
    await rate.fill('600');
    await page.getByRole('button', { name: 'Set rate' }).click();
    await page.getByText('The rate is now 600 a minute').waitFor({ state: 'attached' });
    await page.reload();
    await page.getByLabel('Requests per minute').waitFor();
    assert.equal(await page.getByLabel('Requests per minute').inputValue(), '600');

    await page.getByLabel('Plan', { exact: true }).selectOption('none');
    await page.getByRole('button', { name: 'Set plan' }).click();
    await page.getByText('No active plan').waitFor();
    assert.equal(await refusalOf(client), 'subscription_required');
    assert.equal((await fixture.creditsOf(key)).granted, 125);

    await page.getByRole('link', { name: 'Audit log' }).click();
    await page.getByRole('heading', { level: 1, name: 'Audit log' }).waitFor();
    for (const change of ['account created', 'credits granted', 'key created', 'rate set', 'plan set'])
      await page
        .getByRole('row', { name: new RegExp(change) })
        .first()
        .waitFor();
    await visitor.leave();
  });

  test('finds an account by its name', async () => {
    const { url: origin, adminToken } = fixture.demo;
    const visitor = await fixture.visitor();
    const { page } = visitor;
    await signIn(page, { origin, secret: adminToken, path: '/operator/accounts' });
    await page.getByRole('link', { name: 'Demonstration' }).waitFor();
    await page.getByLabel('Find an account').fill('harbour');
    await page.getByRole('button', { name: 'Find', exact: true }).click();
    await page.getByRole('link', { name: 'Demonstration' }).waitFor({ state: 'detached' });
    await page.getByRole('link', { name: 'Harbour Books' }).click();
    await page.getByRole('heading', { level: 1, name: 'Harbour Books' }).waitFor();
    assert.equal(await fact(page, 'Granted'), '250');
    await visitor.leave();
  });

  test('sees what came of the last minutes, and finds a request by its id, without the address', async () => {
    const { url: origin, adminToken, liveKey } = fixture.demo;
    const client = createClient({ baseUrl: origin, apiKey: liveKey });
    const { requestId = '' } = await client.verify('lena.fischer@harbour-books.example');
    await client.verify('victor.hale@cautious-bank.example');
    const visitor = await fixture.visitor();
    const { page } = visitor;
    await signIn(page, { origin, secret: adminToken, path: '/operator' });
    await page
      .getByRole('region', { name: 'Verdicts' })
      .getByText(/^[1-9]\d* verdicts; each column/)
      .waitFor();
    await page.getByRole('region', { name: 'Unknown' }).getByText('listed by blocklist').first().waitFor();
    assert.equal(await fact(page, 'DNS resolver'), 'Working');
    const addresses = page.getByRole('region', { name: 'Egress addresses of this installation' });
    await addresses.getByRole('row', { name: /^default Working/ }).waitFor();
    await page.getByLabel('Request ID').fill(requestId);
    await page.getByRole('button', { name: 'Find request' }).click();
    const search = page.getByRole('region', { name: 'Find a request' });
    await search.getByText('verification', { exact: true }).waitFor();
    assert.equal(await fact(page, 'Charged'), '1');
    assert.ok(!(await page.content()).includes('lena.fischer'), 'the operator sees no address');
    visitor.expectTrouble('404 /admin/v1/requests/');
    await page.getByLabel('Request ID').fill('00000000-0000-7000-8000-000000000000');
    await page.getByRole('button', { name: 'Find request' }).click();
    await page.getByText('Request not found').waitFor();
    await visitor.leave();
  });
});

test('the operator ends the pause of a mail host, and it may be asked again', async (t) => {
  const fixture = await openConsoleFixture({ MAILPROOF_PACING: 'on' });
  t.after(() => fixture.close());
  const { url: origin, adminToken, liveKey } = fixture.demo;
  const client = createClient({ baseUrl: origin, apiKey: liveKey });
  // No server listens there: after a few attempts the host is paused.
  for (let n = 0; n < 4; n += 1) await client.verify(`guest${n}@quiet-night.example`);
  const visitor = await fixture.visitor();
  const { page } = visitor;
  await signIn(page, { origin, secret: adminToken, path: '/operator' });
  const hosts = page.getByRole('region', { name: 'Paused mail hosts' });
  const button = hosts.getByRole('button', { name: /^End pause of / }).first();
  await button.waitFor();
  const name = ((await button.getAttribute('aria-label')) ?? '').replace('End pause of ', '');
  await button.click();
  await page.getByText(`${name} can be asked again`).waitFor({ state: 'attached' });
  await hosts.getByRole('button', { name: `End pause of ${name}` }).waitFor({ state: 'detached' });
  const headers = { authorization: `Bearer ${adminToken}` };
  await until(
    async () => (await (await fetch(`${origin}/admin/v1/health`, { headers })).json()) as Health,
    ({ resting }) => !resting.some((one) => one.name === name),
  );
  await page.getByRole('link', { name: 'Audit log' }).click();
  await page
    .getByRole('row', { name: /rest ended/ })
    .first()
    .waitFor();
  await visitor.leave();
});

type Health = { resting: { name: string }[] };

test('the operator sees a resolver that denies what exists, and what to do about it', async (t) => {
  const fixture = await openConsoleFixture({ MAILPROOF_RESOLVER_PROBES: 'not-there.example' });
  t.after(() => fixture.close());
  const { url: origin, adminToken } = fixture.demo;
  const visitor = await fixture.visitor();
  const { page } = visitor;
  await signIn(page, { origin, secret: adminToken, path: '/operator' });
  const notice = page.getByRole('alert').filter({ hasText: 'The DNS resolver cannot be trusted' });
  await notice.getByText(/not-there\.example.*MAILPROOF_DNS_SERVERS/).waitFor();
  assert.equal(await fact(page, 'DNS resolver'), 'Not trusted');
  await visitor.leave();
});

/** Verifies until the plan is missed. The service caches keys for a second, which may use up all credits. */
async function refusalOf(client: Client): Promise<string> {
  for (;;) {
    try {
      await client.verify('yuki@harbour-books.example');
    } catch (error) {
      if (!(error instanceof MailproofError)) throw error;
      if (error.reason !== 'insufficient_credits') return error.reason;
    }
  }
}
