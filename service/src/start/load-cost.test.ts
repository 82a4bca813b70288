import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { test } from 'node:test';
import { promisify } from 'node:util';

/**
 * Lists the files that a process loads, first for any role, then for the HTTP side, in a process without other tests.
 */
const program = `
  import { registerHooks } from 'node:module';
  const files = [];
  registerHooks({ load: (url, context, next) => (files.push(url), next(url, context)) });
  await import(${JSON.stringify(new URL('../main.ts', import.meta.url).href)});
  const worker = files.filter((url) => url.startsWith('file:'));
  await import(${JSON.stringify(new URL('./start-api.ts', import.meta.url).href)});
  const api = files.filter((url) => url.startsWith('file:'));
  process.stdout.write(JSON.stringify({ worker, api }));
`;

/** Packages that only some processes need: a driver, a page, a protocol. */
const atFirstUse = ['pg/', '@scalar/', '@modelcontextprotocol/', 'oauth4webapi', '@prometheus-io/', 'yaml/'];

const loadedFrom = (files: string[], packages: string[]) =>
  packages.filter((name) => files.some((file) => file.includes(`/node_modules/${name}`)));

test('a process loads what its role needs, and the rest at first use', async () => {
  const run = await promisify(execFile)(process.execPath, ['--input-type=module', '--eval', program], {
    maxBuffer: 4_000_000,
  });
  const { worker, api } = JSON.parse(run.stdout) as { worker: string[]; api: string[] };
  assert.deepEqual(loadedFrom(api, atFirstUse), []);
  assert.deepEqual(loadedFrom(worker, ['fastify/', 'typebox/', 'ajv/']), []);
  assert.ok(worker.length < 800, `a worker loads ${worker.length} files`);
  assert.ok(api.length < 1_800, `the API loads ${api.length} files`);
});
