import { execFileSync } from 'node:child_process';
import { copyFileSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';

/**
 * `npm run build --workspace client -- FOLDER`: lays the package out for publishing. In this repository the source runs
 * as it is; Node strips no types below node_modules, so what is published is JavaScript with declarations, and its
 * manifest is ours with `publishConfig` over it. Then `npm publish FOLDER`.
 */
export function buildPackage(folder: string): void {
  const here = import.meta.dirname;
  mkdirSync(folder, { recursive: true });
  if (readdirSync(folder).length > 0) throw new Error(`${folder} is not empty`);
  const compiler = join(here, '../node_modules/typescript/bin/tsc');
  const outDir = resolve(folder, 'dist');
  const settings = join(here, 'tsconfig.build.json');
  execFileSync(process.execPath, [compiler, '--project', settings, '--outDir', outDir], { stdio: 'pipe' });
  writeFileSync(join(folder, 'package.json'), `${JSON.stringify(publishedManifest(), null, 2)}\n`);
  copyFileSync(join(here, 'README.md'), join(folder, 'README.md'));
  copyFileSync(join(here, '../LICENSE'), join(folder, 'LICENSE'));
}

/** Our manifest is written for the workspace: private, and leading to the source. */
function publishedManifest(): Record<string, unknown> {
  const manifest = JSON.parse(readFileSync(join(import.meta.dirname, 'package.json'), 'utf8')) as Record<
    string,
    unknown
  >;
  const { publishConfig, ...kept } = manifest;
  delete kept['private'];
  delete kept['scripts'];
  const { access, ...published } = publishConfig as Record<string, unknown>;
  return { ...kept, ...published, publishConfig: { access } };
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  const [folder] = process.argv.slice(2);
  if (folder === undefined) throw new Error('Missing FOLDER: where to write the package');
  buildPackage(folder);
}
