import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { createClient } from '@mailproof/client';
import type { Page } from 'playwright-core';
import { createApiClient } from '../../../service/test/support/api-client.ts';
import { until } from '../../../service/test/support/until.ts';
import { withoutChromium } from '../support/open-browser.ts';
import { accessibilityFaults } from '../support/accessibility.ts';
import { openConsoleFixture, type ConsoleFixture } from '../support/open-fixture.ts';
import { tabTo } from '../support/tab-to.ts';

/**
 * The script of sign-up forms in a real browser, on its page in the docs. The policy of that page forbids inline
 * scripts and demands Trusted Types.
 */
describe('a form with the guard', { skip: withoutChromium }, () => {
  let fixture: ConsoleFixture;
  let formKey = '';
  before(async () => {
    fixture = await openConsoleFixture();
    const { url, liveKey } = fixture.demo;
    const client = createClient({ baseUrl: url, apiKey: liveKey });
    // On a busy machine the tests repeat checks.
    const caps = { checks_per_day: 1_000_000, checks_per_visitor: 1_000_000 };
    ({ form_key: formKey } = await client.formKeys.create({ name: 'Often', origins: [url], ...caps }));
  });
  after(() => fixture.close());

  /** Opens the page. The script gives up after two seconds, too early on a busy machine; `endless` prevents that. */
  async function open(patience: 'endless' | 'usual' = 'endless') {
    const visitor = await fixture.visitor();
    const { page } = visitor;
    const { url } = fixture.demo;
    if (patience === 'endless') await page.addInitScript(waitForEver);
    await page.goto(`${url}/docs/form?key=${formKey}`, { waitUntil: 'load' });
    return { visitor, page, field: page.getByLabel('Email address'), hint: page.getByRole('status') };
  }

  async function enter(page: Page, address: string): Promise<void> {
    await page.getByLabel('Email address').fill(address);
    await page.getByLabel('Email address').blur();
  }

  /**
   * Makes the script ask until there is an answer. On a busy machine DNS is late (`unchecked`) or the service refuses
   * requests, and the script rightly says nothing.
   */
  async function untilAnswered(page: Page, ask: () => Promise<void>): Promise<void> {
    await until(
      async () => {
        const response = page.waitForResponse('**/form-check');
        await ask();
        const answered = await response;
        assert.ok([200, 503].includes(answered.status()), `it was answered with ${answered.status()}`);
        return answered.ok() ? answered.text() : '';
      },
      (answer) => /"result":"(?!unchecked)/.test(answer),
    );
  }

  /** Returns the answer that the guard gets for an address. */
  async function hear(page: Page, address: string): Promise<unknown> {
    await untilAnswered(page, () => page.evaluate(change, address));
    // The script reads the answer a moment later.
    const kept = () => page.evaluate(() => (window as Hearing).heard);
    return until(kept, (heard) => heard !== undefined && heard.result !== 'unchecked');
  }

  test('suggests what was meant, and puts it in with the keyboard alone', async () => {
    const { visitor, page, field, hint } = await open();
    await untilAnswered(page, async () => {
      await page.reload({ waitUntil: 'load' });
      await tabTo(page, field);
      await page.keyboard.insertText('jane@gmial.com');
      await page.keyboard.press('Tab');
    });
    await hint.getByText('Did you mean jane@gmail.com?').waitFor();
    assert.deepEqual(await accessibilityFaults(page), []);
    // Screen readers announce the hint, and find it again at the field.
    assert.equal(await field.getAttribute('aria-describedby'), await hint.getAttribute('id'));
    await tabTo(page, page.getByRole('button', { name: 'Use this address' }));
    await page.keyboard.press('Enter');
    assert.equal(await field.inputValue(), 'jane@gmail.com');
    assert.ok(await field.evaluate((element) => element === document.activeElement));
    await visitor.leave();
  });

  test('tells of domains that take no mail and of throw-away addresses, and blocks neither', async () => {
    const { visitor, page, field, hint } = await open();
    await hear(page, 'jane@nowhere-at-all.example');
    await hint.getByText('This address cannot receive email. Please check it.').waitFor();
    assert.ok(await field.evaluate((element) => (element as HTMLInputElement).checkValidity()));
    await hear(page, 'jane@mayfly-mail.example');
    await hint.getByText('This looks like a temporary address.').waitFor();
    assert.deepEqual(await accessibilityFaults(page), []);
    await hear(page, 'yuki@harbour-books.example');
    assert.equal(await hint.textContent(), '');
    assert.equal(await field.getAttribute('aria-describedby'), null);
    await visitor.leave();
  });

  test('says the same of a mailbox that exists and of one that does not', async () => {
    const { visitor, page } = await open();
    const answers = [
      await hear(page, 'yuki@harbour-books.example'),
      await hear(page, 'nobody-of-that-name@harbour-books.example'),
    ];
    assert.deepEqual(answers, [{ result: 'ok' }, { result: 'ok' }]);
    await visitor.leave();
  });

  for (const [what, meet] of [
    ['away', (page: Page) => page.route('**/form-check', (route) => route.abort('connectionrefused'))],
    [
      'broken',
      (page: Page) => page.route('**/form-check', (route) => route.fulfill({ status: 503, body: 'no' })),
    ],
    // Without an answer the script gives up by itself.
    ['slow', (page: Page) => page.route('**/form-check', () => undefined)],
  ] as const) {
    test(`says nothing when the service is ${what}`, async () => {
      const { visitor, page, field, hint } = await open('usual');
      visitor.expectTrouble('failed ', '503 ', 'console: ');
      await meet(page);
      const over = what === 'broken' ? page.waitForEvent('response') : page.waitForEvent('requestfailed');
      await enter(page, 'jane@gmial.com');
      await over;
      assert.equal(await hint.textContent(), '');
      assert.equal(await field.inputValue(), 'jane@gmial.com');
      await visitor.leave();
    });
  }

  test('a page that is not named by the key gets no word out of it', async () => {
    const client = createApiClient(fixture.demo.url);
    const { status } = await client.ask({
      path: '/api/v1/form-check',
      key: formKey,
      headers: { origin: 'https://other.example' },
      body: { email: 'jane@gmial.com' },
    });
    assert.equal(status, 403);
    client.close();
  });
});

/** Runs in the page before its scripts: makes the script wait for ever. */
function waitForEver(): void {
  const real = globalThis.setTimeout;
  const patienceMs = 2_000;
  const timer = (work: () => void, ms?: number) => real(work, ms === patienceMs ? 2 ** 31 - 1 : ms);
  globalThis.setTimeout = timer as typeof setTimeout;
}

/** The window, with the last answer of the script. */
type Hearing = Window & { heard?: { result: string } | undefined };

/** Runs in the page: types an address and leaves the field. */
function change(address: string): void {
  const input = document.querySelector('input');
  if (input === null) throw new Error('the page has no field');
  const page: Hearing = window;
  page.heard = undefined;
  const keep = (event: Event) => (page.heard = (event as CustomEvent<{ result: string }>).detail);
  input.addEventListener('mailproof', keep, { once: true });
  input.value = address;
  input.dispatchEvent(new Event('change', { bubbles: true }));
}
