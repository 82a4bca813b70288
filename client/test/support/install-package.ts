import { execFile } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { packClient } from '../../../scripts/release/pack-client.ts';

const run = promisify(execFile);

type InstalledPackage = {
  /** An outsider's project that has the package and nothing else. */
  project: string;
  /** Files that npm put into the tarball. */
  paths: string[];
};

/** Packed and installed by npm, offline: an empty folder, and no registry to fetch anything from. */
export async function installPackage(folder: string): Promise<InstalledPackage> {
  const built = join(folder, 'built');
  packClient(built);
  const offline = ['--offline', '--cache', join(folder, 'cache')];
  const { stdout } = await run('npm', ['pack', '--json', ...offline], { cwd: built });
  const [packed] = JSON.parse(stdout) as [{ filename: string; files: { path: string }[] }];
  const project = join(folder, 'project');
  mkdirSync(project);
  writeFileSync(join(project, 'package.json'), '{"type":"module"}');
  const tarball = join(built, packed.filename);
  await run('npm', ['install', '--no-audit', '--no-fund', ...offline, tarball], { cwd: project });
  return { project, paths: packed.files.map(({ path }) => path) };
}

/** The same few lines for every runtime: loaded, and used against a service. */
const lines = `createClient({ baseUrl: process.env.URL, apiKey: process.env.KEY })
  .verify('ada@example.com')
  .then(({ status }) => console.log(status, typeof verifyWebhook));`;

export const loadedAs = {
  'ES modules': {
    file: 'use.mjs',
    text: `import { createClient, verifyWebhook } from '@mailproof/client';\n${lines}`,
  },
  CommonJS: {
    file: 'use.cjs',
    text: `const { createClient, verifyWebhook } = require('@mailproof/client');\n${lines}`,
  },
};
