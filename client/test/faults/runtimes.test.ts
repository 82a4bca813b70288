import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { promisify } from 'node:util';
import { openBrowser } from '../../../console/test/support/open-browser.ts';
import { installPackage, loadedAs } from '../support/install-package.ts';
import { startStandIn, type StandIn } from '../support/start-stand-in.ts';

const run = promisify(execFile);
const folder = mkdtempSync(join(tmpdir(), 'mailproof-runtimes-'));
const arm = process.arch === 'arm64';

/** From the registry, as their makers publish them for this machine; kept for the next run. */
const runtimes = {
  'Node 20': { spec: `node20@npm:node-linux-${process.arch}@20`, program: 'node20/bin/node', flags: [] },
  'Node 22': { spec: `node22@npm:node-linux-${process.arch}@22`, program: 'node22/bin/node', flags: [] },
  Bun: {
    spec: `bun@npm:@oven/bun-linux-${arm ? 'aarch64' : 'x64-baseline'}@1`,
    program: 'bun/bin/bun',
    flags: [],
  },
  Deno: {
    spec: `deno@npm:@deno/linux-${arm ? 'arm64' : 'x64'}-glibc@2`,
    program: 'deno/deno',
    flags: ['run', '--allow-all', '--no-remote'],
  },
};
const kept = join(import.meta.dirname, '../../../.cache/runtimes');

let project: string;
let standIn: StandIn;

before(async () => {
  standIn = await startStandIn();
  ({ project } = await installPackage(folder));
  for (const { file, text } of Object.values(loadedAs)) writeFileSync(join(project, file), text);
  const programs = Object.values(runtimes).map(({ program }) => join(kept, 'node_modules', program));
  if (programs.every((program) => existsSync(program))) return;
  mkdirSync(kept, { recursive: true });
  writeFileSync(join(kept, 'package.json'), '{"private":true}');
  const specs = Object.values(runtimes).map(({ spec }) => spec);
  await run('npm', ['install', '--ignore-scripts', '--no-audit', '--no-fund', ...specs], { cwd: kept });
});
after(async () => {
  await standIn.stop();
  rmSync(folder, { recursive: true });
});

describe('the packed client', () => {
  for (const [runtime, { program, flags }] of Object.entries(runtimes)) {
    for (const [kind, { file }] of Object.entries(loadedAs)) {
      test(`runs as ${kind} on ${runtime}`, async () => {
        const env = { URL: standIn.url, KEY: standIn.apiKey, HOME: folder };
        const { stdout } = await run(join(kept, 'node_modules', program), [...flags, file], {
          cwd: project,
          env,
        });
        assert.equal(stdout, 'safe function\n');
      });
    }
  }

  test('runs in a browser as it is, loaded as a module by the page', async () => {
    const page = await servePage();
    const browser = await openBrowser();
    try {
      const tab = await browser.newPage();
      await tab.goto(page.url);
      const status = await tab.evaluate(`import('/package/index.js')
        .then(({ createClient }) => createClient({ baseUrl: location.origin, apiKey: '${standIn.apiKey}' }))
        .then((client) => client.verify('ada@example.com'))
        .then(({ status }) => status)`);
      assert.equal(status, 'safe');
    } finally {
      await browser.close();
      page.stop();
    }
  });
});

/** A site of its own origin: a page, the files of the package, and the API behind it. */
async function servePage(): Promise<{ url: string; stop(): void }> {
  const modules = join(project, 'node_modules/@mailproof/client/dist/esm');
  const server = createServer((request, response) => {
    const path = request.url ?? '/';
    const name = /^\/package\/(?<name>[a-z0-9-]+\.js)$/.exec(path)?.groups?.['name'];
    if (name !== undefined) {
      response.setHeader('content-type', 'text/javascript').end(readFileSync(join(modules, name)));
    } else if (path.startsWith('/api/')) {
      void pass(request, response);
    } else {
      response.setHeader('content-type', 'text/html').end('<!doctype html><title>A page</title>');
    }
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
  return { url, stop: () => void server.close() };
}

async function pass(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  const passed = await fetch(`${standIn.url}${request.url ?? ''}`, {
    method: request.method ?? 'GET',
    headers: { authorization: request.headers.authorization ?? '', 'content-type': 'application/json' },
    body: Buffer.concat(chunks),
  });
  response.writeHead(passed.status, { 'content-type': 'application/json' }).end(await passed.text());
}
