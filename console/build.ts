/**
 * Builds the page into `console/dist/`: one script and one style sheet, minified, named after their content, each
 * beside its compressed forms, and the `index.html` that names them. Run as `node console/build.ts` after every
 * installation. Without changes since the last build it does nothing.
 */
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { pathToFileURL } from 'node:url';
import { brotliCompressSync, constants, gzipSync } from 'node:zlib';
import { build } from 'esbuild';

const here = import.meta.dirname;
const root = join(here, '..');
const dist = join(here, 'dist');
/** Hash of the sources of the last build. */
const stamp = join(dist, '.made-from');

export async function buildConsole(): Promise<'built' | 'unchanged'> {
  const source = hashOfSources();
  if (existsSync(stamp) && readFileSync(stamp, 'utf8') === source) return 'unchanged';
  const unfinished = join(root, '.cache', `console-${process.pid}`);
  rmSync(unfinished, { recursive: true, force: true });
  mkdirSync(join(unfinished, 'assets'), { recursive: true });
  const names = await bundle(join(unfinished, 'assets'));
  writeCompressed(join(unfinished, 'index.html'), Buffer.from(fillIn(names)));
  writeFileSync(join(unfinished, '.made-from'), source);
  replaceDist(unfinished);
  return 'built';
}

type AssetNames = { script: string; style: string };

async function bundle(folder: string): Promise<AssetNames> {
  const { outputFiles } = await build({
    entryPoints: { app: join(here, 'src/main.tsx'), style: join(here, 'src/styles/console.css') },
    entryNames: 'app-[hash]',
    outdir: folder,
    absWorkingDir: here,
    bundle: true,
    minify: true,
    write: false,
    format: 'esm',
    target: 'es2023',
    jsx: 'automatic',
    jsxImportSource: 'preact',
    legalComments: 'none',
    logLevel: 'error',
  });
  for (const { path, contents } of outputFiles) writeCompressed(path, Buffer.from(contents));
  const named = (ending: string): string => {
    const found = outputFiles.find(({ path }) => path.endsWith(ending));
    if (found === undefined) throw new Error(`the build gave no ${ending}`);
    return relative(folder, found.path);
  };
  return { script: named('.js'), style: named('.css') };
}

function fillIn({ script, style }: AssetNames): string {
  return readFileSync(join(here, 'src/index.html'), 'utf8')
    .replace('{{script}}', `/assets/${script}`)
    .replace('{{style}}', `/assets/${style}`);
}

/**
 * Writes a file in three forms. The server sends the best one that the browser accepts, and compresses nothing itself.
 */
function writeCompressed(path: string, contents: Buffer): void {
  writeFileSync(path, contents);
  writeFileSync(`${path}.gz`, gzipSync(contents, { level: 9 }));
  const params = { [constants.BROTLI_PARAM_QUALITY]: constants.BROTLI_MAX_QUALITY };
  writeFileSync(`${path}.br`, brotliCompressSync(contents, { params }));
}

/** Puts the new build in place in one step. An old build is moved aside first, so that no mixture is served. */
function replaceDist(unfinished: string): void {
  const old = `${unfinished}-old`;
  if (existsSync(dist)) renameSync(dist, old);
  renameSync(unfinished, dist);
  rmSync(old, { recursive: true, force: true });
}

function hashOfSources(): string {
  const hash = createHash('sha256');
  const files = [join(here, 'src'), join(root, 'client/src')]
    .flatMap((folder) => readdirSync(folder, { recursive: true, withFileTypes: true }))
    .filter((entry) => entry.isFile() && !entry.name.endsWith('.test.ts'))
    .map((entry) => join(entry.parentPath, entry.name))
    .sort();
  for (const file of [import.meta.filename, ...files])
    hash.update(`${relative(root, file)}\n`).update(readFileSync(file));
  return hash.update(JSON.stringify(bundledPackages())).digest('hex');
}

/** Returns versions and checksums of the bundled packages and of the bundler. */
function bundledPackages(): unknown[] {
  const lock = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8')) as {
    packages: Record<string, unknown>;
  };
  const wanted = /^node_modules\/(?:preact|@preact\/signals|@preact\/signals-core|esbuild)$/;
  return Object.entries(lock.packages).filter(([name]) => wanted.test(name));
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) await buildConsole();
