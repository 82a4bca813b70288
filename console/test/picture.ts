/**
 * `node console/test/picture.ts`: the picture of the console that README.md shows, `docs/console.png`. It is taken as
 * in the tests, with a real browser, the service and a mail host of the demonstration. IDs, the made-up name and
 * milliseconds are fixed, so that the picture changes only with the console.
 */
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { openConsoleFixture } from './support/open-fixture.ts';
import { signIn } from './support/sign-in.ts';

const file = join(import.meta.dirname, '../../docs/console.png');
const size = { width: 1280, height: 1030 };
const requestId = '01920000-0000-7000-8000-000000000000';
const timingsMs = { dns: 9, smtp: 87, total: 104 };

const fixture = await openConsoleFixture();
try {
  const visitor = await fixture.visitor();
  const { page } = visitor;
  await signIn(page, { origin: fixture.demo.url, secret: fixture.demo.liveKey });
  await setTheSame(page);
  await page.getByLabel('Email address').fill('ada@northwind.example');
  await page.keyboard.press('Enter');
  await page.getByRole('region', { name: 'Evidence' }).waitFor();
  await page.getByRole('link', { name: '9,999 credits' }).waitFor();
  await page.setViewportSize(size);
  await page.screenshot({ path: file, animations: 'disabled', caret: 'hide' });
  await visitor.leave();
} finally {
  await fixture.close();
}

async function setTheSame(page: Page): Promise<void> {
  await page.route('**/api/v1/email-verification*', async (route) => {
    const response = await route.fetch();
    const text = (await response.text()).replace(
      /(?<=<)[a-z]{6}[._-]?[a-z]{8}\d{2,3}(?=@)/g,
      'melira.tokanoso47',
    );
    const body = JSON.parse(text) as { explanation: object };
    const explanation = { ...body.explanation, timings_ms: timingsMs };
    const headers = { ...response.headers(), 'x-request-id': requestId };
    await route.fulfill({ response, headers, json: { ...body, explanation } });
  });
}
