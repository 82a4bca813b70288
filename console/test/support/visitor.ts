/**
 * Somebody in front of the page, in a browser profile of their own. Watched all the time: a request to another
 * origin, a breach of the Content-Security-Policy, an error in the console or in a script, and an answer of
 * 400 or more are troubles, and a visit with one that the test did not announce fails when it ends.
 */
import assert from 'node:assert/strict';
import type { Browser, BrowserContext, Page } from 'playwright-core';

export type VisitorOptions = {
  /** The only place the page may speak to. */
  origin: string;
  width?: number;
};

export type Visitor = {
  page: Page;
  context: BrowserContext;
  /** Troubles that begin with one of these words are part of the test from here on: `401 /session`. */
  expectTrouble(...beginnings: string[]): void;
  /** Ends the visit, and fails where there was trouble. */
  leave(): Promise<void>;
  /** What the page shows and what trouble it had, for whoever reads why a test failed; nothing after the visit. */
  report(): Promise<string | undefined>;
};

/** Signed out, the page finds that out by asking. */
const usual = ['401 /session'];

const heights: Record<number, number> = { 390: 844, 1280: 800 };

/** How long the page may take for anything on a machine with much else to do. */
const patienceMs = 60_000;

export async function newVisitor(browser: Browser, options: VisitorOptions): Promise<Visitor> {
  const { origin, width = 1280 } = options;
  const context = await browser.newContext({
    viewport: { width, height: heights[width] ?? 800 },
    colorScheme: 'light',
    reducedMotion: 'reduce',
    locale: 'en-GB',
    timezoneId: 'UTC',
    acceptDownloads: true,
  });
  context.setDefaultTimeout(patienceMs);
  const page = await context.newPage();
  const expected = [...usual];
  const found = await watch(page, origin);
  return {
    page,
    context,
    expectTrouble: (...beginnings) => void expected.push(...beginnings),
    async leave() {
      await lastWords(page);
      await context.close();
      const isExpected = (trouble: string) => expected.some((start) => trouble.startsWith(start));
      assert.deepEqual(
        found.filter((trouble) => !isExpected(trouble)),
        [],
      );
    },
    async report() {
      if (page.isClosed()) return undefined;
      const shown = await page.innerText('body', { timeout: 5_000 }).catch(String);
      return `${page.url()} showed: ${shown}\nTroubles: ${found.join(', ') || 'none'}`;
    },
  };
}

/** What the page has just told of itself is under way yet: an answer that is asked for now comes after it. */
async function lastWords(page: Page): Promise<void> {
  if (page.isClosed()) return;
  await page.evaluate(() => new Promise((resolve) => void setTimeout(resolve)));
}

async function watch(page: Page, origin: string): Promise<string[]> {
  const troubles: string[] = [];
  page.on('request', (request) => {
    const url = request.url();
    if (!url.startsWith(`${origin}/`) && !/^(?:data|blob):/.test(url)) troubles.push(`left for ${url}`);
  });
  page.on('response', (response) => {
    // Turned away because this machine is busy, the page comes again as it is told to; the test sees whether it got through.
    const isTurnedAway = response.status() === 503 && response.headers()['retry-after'] !== undefined;
    if (response.status() >= 400 && !isTurnedAway)
      troubles.push(`${response.status()} ${new URL(response.url()).pathname}`);
  });
  page.on('requestfailed', (request) => {
    const path = new URL(request.url()).pathname;
    // A page that is left, and a question that the page itself gave up, are no failures.
    const words = request.failure()?.errorText ?? '';
    if (words !== 'net::ERR_ABORTED') troubles.push(`failed ${path} ${words}`);
  });
  page.on('console', (message) => {
    // What failed to load is told by the answer itself, with its path.
    if (message.type() === 'error' && !message.text().startsWith('Failed to load resource'))
      troubles.push(`console: ${message.text()}`);
  });
  page.on('pageerror', (error) => troubles.push(`script: ${error.message}`));
  page.on('crash', () => troubles.push('the page crashed'));
  await page.exposeBinding(
    'tellBreach',
    (_source, breach: string) => void troubles.push(`policy: ${breach}`),
  );
  await page.addInitScript(() => {
    document.addEventListener('securitypolicyviolation', (event) => {
      const { tellBreach } = window as unknown as { tellBreach: (breach: string) => void };
      tellBreach(`${event.violatedDirective} ${event.blockedURI}`);
    });
  });
  return troubles;
}
