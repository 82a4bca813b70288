import { execFileSync } from 'node:child_process';
import { copyFileSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import ts from 'typescript';

/**
 * `node scripts/release/pack-client.ts FOLDER`: lays `@mailproof/client` out for publishing; then `npm pack FOLDER` or
 * `npm publish FOLDER`. In this repository the source runs as it is. Node strips no types below node_modules, so what
 * is published is JavaScript with declarations: once as ES modules, once as CommonJS. Its manifest is the client's own
 * with `publishConfig` over it.
 */
export function packClient(folder: string): void {
  mkdirSync(folder, { recursive: true });
  if (readdirSync(folder).length > 0) throw new Error(`${folder} is not empty`);
  const modules = join(folder, 'dist/esm');
  compileModules(modules);
  nameScriptsInDeclarations(modules);
  writeCommonJs(modules, join(folder, 'dist/commonjs'));
  writeJson(join(folder, 'package.json'), publishedManifest());
  copyFileSync(join(client, 'README.md'), join(folder, 'README.md'));
  copyFileSync(join(root, 'LICENSE'), join(folder, 'LICENSE'));
}

const root = join(import.meta.dirname, '../..');
const client = join(root, 'client');

function compileModules(folder: string): void {
  const compiler = join(root, 'node_modules/typescript/bin/tsc');
  const settings = join(client, 'tsconfig.build.json');
  execFileSync(process.execPath, [compiler, '--project', settings, '--outDir', resolve(folder)], {
    stdio: 'pipe',
  });
}

/** The compiler leaves the endings of imports in declarations as they are in the source, which older ones do not read. */
function nameScriptsInDeclarations(folder: string): void {
  for (const name of readdirSync(folder).filter((file) => file.endsWith('.d.ts'))) {
    const path = join(folder, name);
    const text = readFileSync(path, 'utf8');
    writeFileSync(path, text.replace(/((?:from |import\()['"]\.\/[a-z0-9-]+)\.ts(?=['"])/g, '$1.js'));
  }
}

/** The same files once more. The manifest beside a file says what it is, so names and imports stay as they are. */
function writeCommonJs(modules: string, folder: string): void {
  mkdirSync(folder);
  writeJson(join(folder, 'package.json'), { type: 'commonjs' });
  for (const name of readdirSync(modules)) {
    if (name.endsWith('.d.ts')) copyFileSync(join(modules, name), join(folder, name));
    else writeFileSync(join(folder, name), asCommonJs(readFileSync(join(modules, name), 'utf8')));
  }
}

function asCommonJs(source: string): string {
  const compilerOptions = { module: ts.ModuleKind.CommonJS, target: ts.ScriptTarget.ES2022 };
  return ts.transpileModule(source, { compilerOptions }).outputText;
}

/** The client's manifest is written for the workspace: private, and leading to the source. */
function publishedManifest(): Record<string, unknown> {
  const manifest = JSON.parse(readFileSync(join(client, 'package.json'), 'utf8')) as Record<string, unknown>;
  const { publishConfig, ...rest } = manifest;
  const kept = Object.entries(rest).filter(([name]) => name !== 'private' && name !== 'devDependencies');
  const { access, ...published } = publishConfig as Record<string, unknown>;
  return { ...Object.fromEntries(kept), ...published, publishConfig: { access } };
}

function writeJson(path: string, value: object): void {
  writeFileSync(path, `${JSON.stringify(value, null, 2)}\n`);
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  const [folder] = process.argv.slice(2);
  if (folder === undefined) throw new Error('Missing FOLDER: where to write the package');
  packClient(folder);
}
