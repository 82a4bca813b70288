import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import type { Page } from 'playwright-core';
import { accessibilityFaults } from '../support/accessibility.ts';
import { openConsoleFixture, type ConsoleFixture } from '../support/open-fixture.ts';
import { tabTo } from '../support/tab-to.ts';

/**
 * The script of sign-up forms in a real browser, in the page of the docs that shows it, whose policy forbids inline
 * scripts and demands Trusted Types.
 */
describe('a form with the guard', () => {
  let fixture: ConsoleFixture;
  before(async () => {
    fixture = await openConsoleFixture();
  });
  after(() => fixture.close());

  /** The script gives up after two seconds, which a machine with much else to do may take; so only where a test wants that. */
  async function open(patience: 'endless' | 'usual' = 'endless') {
    const visitor = await fixture.visitor();
    const { page } = visitor;
    const { url, formKey } = fixture.demo;
    if (patience === 'endless') await page.addInitScript(waitForEver);
    await page.goto(`${url}/docs/form?key=${formKey}`, { waitUntil: 'load' });
    return { visitor, page, field: page.getByLabel('Email address'), hint: page.getByRole('status') };
  }

  async function enter(page: Page, address: string): Promise<void> {
    await page.getByLabel('Email address').fill(address);
    await page.getByLabel('Email address').blur();
  }

  /** What the guard hears of an address. A machine with much else to do is asked again until DNS answers in time. */
  function hear(page: Page, address: string): Promise<unknown> {
    return page.evaluate(async (value) => {
      const input = document.querySelector('input');
      if (input === null) return undefined;
      for (;;) {
        const answered = new Promise((resolve) =>
          input.addEventListener('mailproof', resolve, { once: true }),
        );
        input.value = value;
        input.dispatchEvent(new Event('change', { bubbles: true }));
        const { detail } = (await answered) as CustomEvent<{ result: string }>;
        if (detail.result !== 'unchecked') return detail;
      }
    }, address);
  }

  test('suggests what was meant, and puts it in with the keyboard alone', async () => {
    const { visitor, page, field, hint } = await open();
    await tabTo(page, field);
    await page.keyboard.insertText('jane@gmial.com');
    await page.keyboard.press('Tab');
    await hint.getByText('Did you mean jane@gmail.com?').waitFor();
    assert.deepEqual(await accessibilityFaults(page), []);
    // Screen readers hear of it as it comes, and find it again at the field.
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
    await enter(page, 'jane@mayfly-mail.example');
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
    // Never answered: the script gives up by itself.
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
    const { formKey, url } = fixture.demo;
    const response = await fetch(`${url}/api/v1/form-check`, {
      method: 'POST',
      headers: {
        origin: 'https://other.example',
        authorization: `Bearer ${formKey}`,
        'content-type': 'application/json',
      },
      body: '{"email":"jane@gmial.com"}',
    });
    assert.equal(response.status, 403);
  });
});

/** Run in the page before its scripts. */
function waitForEver(): void {
  const real = globalThis.setTimeout;
  const patienceMs = 2_000;
  const timer = (work: () => void, ms?: number) => real(work, ms === patienceMs ? 2 ** 31 - 1 : ms);
  globalThis.setTimeout = timer as typeof setTimeout;
}
