import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import type { Page } from 'playwright-core';
import { openConsoleFixture, type ConsoleFixture } from '../support/open-fixture.ts';
import { signIn } from '../support/sign-in.ts';

/** The cost of a first visit. Durations are printed but not asserted: on a busy machine they prove nothing. */

const mostBytes = 150_000;

type Measured = { shift: number; moved: string[]; firstPaintMs: number };
type Shift = { value: number; hadRecentInput: boolean; sources: { node: unknown }[] };

/** Records layout shifts without user input, and the time of the first paint. */
async function watchLayout(page: Page): Promise<void> {
  await page.addInitScript(() => {
    const seen: Measured = { shift: 0, moved: [], firstPaintMs: 0 };
    Object.assign(window, { seen });
    new PerformanceObserver((list) => {
      for (const entry of list.getEntries()) {
        const { value, hadRecentInput, sources } = entry as unknown as Shift;
        if (hadRecentInput) continue;
        seen.shift += value;
        seen.moved.push(
          ...sources.map(({ node }) => (node instanceof Element ? node.outerHTML.slice(0, 80) : '')),
        );
      }
    }).observe({ type: 'layout-shift', buffered: true });
    new PerformanceObserver((list) => {
      seen.firstPaintMs = list.getEntriesByName('first-contentful-paint')[0]?.startTime ?? seen.firstPaintMs;
    }).observe({ type: 'paint', buffered: true });
  });
}

/** Returns the record after the next frame, when observers have run. */
async function measured(page: Page): Promise<Measured> {
  return await page.evaluate(async () => {
    await new Promise((resolve) => requestAnimationFrame(() => setTimeout(resolve)));
    return (window as unknown as { seen: Measured }).seen;
  });
}

describe('the first load', () => {
  let fixture: ConsoleFixture;
  before(async () => {
    fixture = await openConsoleFixture();
  });
  after(() => fixture.close());

  test('is under 150 kB as it comes over the line, from one script and one style sheet', async (t) => {
    const visitor = await fixture.visitor();
    const { page, context } = visitor;
    const network = await context.newCDPSession(page);
    const encodings: string[] = [];
    let bytes = 0;
    network.on('Network.loadingFinished', ({ encodedDataLength }) => (bytes += encodedDataLength));
    network.on('Network.responseReceived', ({ response }) => {
      encodings.push(`${new URL(response.url).pathname} ${response.headers['content-encoding'] ?? ''}`);
    });
    await network.send('Network.enable');
    await page.goto(fixture.demo.url, { waitUntil: 'networkidle' });
    await page.getByLabel('API key or admin token').waitFor();
    t.diagnostic(`${bytes} bytes: ${encodings.join(', ')}`);
    assert.ok(bytes > 10_000 && bytes < mostBytes, `${bytes} bytes`);
    const assets = encodings.filter((line) => line.startsWith('/assets/'));
    assert.equal(assets.length, 2);
    for (const asset of assets) assert.match(asset, /\.(?:js|css) (?:br|gzip)$/);
    await visitor.leave();
  });

  for (const width of [390, 1280])
    test(`moves nothing once it is drawn, signed out and signed in, at ${width} points`, async (t) => {
      const { url: origin, liveKey } = fixture.demo;
      const visitor = await fixture.visitor({ width });
      const { page } = visitor;
      await watchLayout(page);
      await page.goto(origin);
      await page.getByLabel('API key or admin token').waitFor();
      assert.deepEqual((await measured(page)).moved, []);
      await signIn(page, { origin, secret: liveKey });
      for (const path of ['/check', '/lists', '/tasks', '/account']) {
        await page.goto(origin + path, { waitUntil: 'networkidle' });
        const { shift, moved, firstPaintMs } = await measured(page);
        t.diagnostic(`${path}: first paint after ${Math.round(firstPaintMs)} ms`);
        assert.deepEqual([shift, moved], [0, []], path);
      }
      await visitor.leave();
    });

  test('can be used soon: the field takes a key as soon as it is there', async (t) => {
    const visitor = await fixture.visitor();
    const { page } = visitor;
    await page.goto(fixture.demo.url, { waitUntil: 'commit' });
    const field = page.getByLabel('API key or admin token');
    await field.fill('mp_test_');
    const interactiveMs = await page.evaluate(() => performance.now());
    t.diagnostic(`interactive after ${Math.round(interactiveMs)} ms`);
    assert.equal(await field.inputValue(), 'mp_test_');
    await visitor.leave();
  });

  test('a second visit takes the page’s files from the browser', async () => {
    const visitor = await fixture.visitor();
    const { page } = visitor;
    await page.goto(fixture.demo.url, { waitUntil: 'networkidle' });
    await page.goto(`${fixture.demo.url}/check`, { waitUntil: 'networkidle' });
    const sizes = await page.evaluate(() =>
      performance
        .getEntriesByType('resource')
        .map((entry) => entry as PerformanceResourceTiming)
        .filter(({ name }) => name.includes('/assets/'))
        .map(({ transferSize }) => transferSize),
    );
    assert.deepEqual(sizes, [0, 0]);
    await visitor.leave();
  });
});
