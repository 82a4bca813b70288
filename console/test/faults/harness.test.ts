import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { after, before, describe, test } from 'node:test';
import type { Browser } from 'playwright-core';
import { accessibilityFaults } from '../support/accessibility.ts';
import { openBrowser } from '../support/open-browser.ts';
import { newVisitor, type Visitor } from '../support/visitor.ts';

/** The tests of the console rely on the visitor's watch: each kind of trouble is made once, and must be seen. */

const pages: Record<string, string> = {
  '/': '<main><h1>Fine</h1></main>',
  '/elsewhere': '<main><h1>Elsewhere</h1><img alt="" src="http://elsewhere.test/pixel.png"></main>',
  '/inline': '<main><h1>Inline</h1><script>document.title = "no"</script></main>',
  '/throws': '<main><h1>Throws</h1><script src="/throws.js"></script></main>',
  '/complains': '<main><h1>Complains</h1><script src="/complains.js"></script></main>',
  '/misses': '<main><h1>Misses</h1><script src="/missing.js"></script></main>',
  '/bare': '<main><h1>Bare</h1><input><img src="/picture.png"></main>',
};
const scripts: Record<string, string> = {
  '/throws.js': 'throw new Error("broken")',
  '/complains.js': 'console.error("not well")',
};

function serve(): Server {
  return createServer((request, response) => {
    const path = request.url ?? '';
    const [page, script] = [pages[path], scripts[path]];
    const isThere = page !== undefined || script !== undefined || path === '/picture.png';
    response.writeHead(isThere ? 200 : 404, {
      'content-security-policy': "default-src 'none'; script-src 'self'; img-src *",
      'content-type': page === undefined ? 'text/javascript' : 'text/html',
    });
    const head = '<!doctype html><html lang="en"><meta charset="utf-8"><title>A page</title>';
    response.end(page === undefined ? script : `${head}${page}`);
  });
}

describe('the watch over the browser', () => {
  let server: Server;
  let browser: Browser;
  let origin: string;
  before(async () => {
    server = serve().listen(0, '127.0.0.1');
    await once(server, 'listening');
    origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    browser = await openBrowser();
  });
  after(async () => {
    await browser.close();
    server.closeAllConnections();
    server.close();
  });

  async function visit(path: string): Promise<Visitor> {
    const visitor = await newVisitor(browser, { origin });
    await visitor.page.goto(origin + path, { waitUntil: 'load' });
    return visitor;
  }

  test('a page that is fine has no trouble', async () => {
    const visitor = await visit('/');
    // The browser requests an icon if the page names none.
    visitor.expectTrouble('404 /favicon.ico');
    assert.deepEqual(await accessibilityFaults(visitor.page), []);
    await visitor.leave();
  });

  for (const [path, told] of [
    ['/elsewhere', /left for http:\/\/elsewhere\.test/],
    ['/inline', /policy: script-src-elem inline/],
    ['/throws', /script: broken/],
    ['/complains', /console: not well/],
    ['/misses', /404 \/missing\.js/],
  ] as const) {
    test(`${path} is trouble, and fails the visit`, async () => {
      const visitor = await visit(path);
      await assert.rejects(visitor.leave(), told);
    });
  }

  test('a field without a name and a picture without words are found', async () => {
    const visitor = await visit('/bare');
    const faults = (await accessibilityFaults(visitor.page)).join('\n');
    assert.match(faults, /label at input/);
    assert.match(faults, /image-alt at img/);
    await visitor.context.close();
  });
});
